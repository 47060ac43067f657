// "Which judge?" for a platform and a budget: what `epc which` decides (epc/analysis/choosing.py), from
// which ways beat which in the page. All text is set as text.
{
  const form = document.getElementById("which");
  const place = document.getElementById("which-answer");
  const { ways, served, domains, sentence } = JSON.parse(document.getElementById("which-data").textContent);

  const make = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };

  const HEAD = ["Who is asked", "For 1,000", "Right"];
  const classed = (made, className) => Object.assign(made, { className });
  const ask = form.querySelector(".epc-ask");

  // A figure on its line, as the page's own tables have it (epc/site/charts/forest.py).
  const CHANCE = Number(document.querySelector(".epc-axis text").textContent) / 100;
  const line = (low, high, right) => {
    const at = (value) => `${(2 + (96 * (value - CHANCE)) / (1 - CHANCE)).toFixed(1)}%`;
    const mark = (parent, name, given) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
      parent?.append(made);
      return made;
    };
    const svg = mark(null, "svg", { class: "epc-line", width: "100%", height: 24, "aria-hidden": "true" });
    mark(svg, "line", { class: "epc-reach", x1: at(CHANCE), x2: at(right), y1: 12, y2: 12 });
    mark(svg, "line", { x1: at(low), x2: at(high), y1: 12, y2: 12 });
    mark(svg, "circle", { cx: at(right), cy: 12, r: 5.5 });
    return svg;
  };

  const shortList = (domain, usable, budget) => {
    const fits = usable.filter((way) => budget === null || (ways[way].usd !== null && ways[way].usd <= budget));
    const beaten = (way) => domain.beaten_by[way].some((other) => fits.includes(other));
    const left = new Map();
    for (const way of [...fits].sort((one, other) => ways[one].askings - ways[other].askings)) {
      const key = ways[way].models.join(" ");
      if (!left.has(key) && !beaten(way)) left.set(key, way);
    }
    const usd = (way) => ways[way].usd ?? Infinity;
    const found = [...left.values()].sort((one, other) =>
      usd(one) === usd(other) ? domain.right[other] - domain.right[one] : usd(one) - usd(other));
    return { found, alone: !fits.some((way) => ways[way].models.length === 1 && !left.has(ways[way].models.join(" "))) };
  };

  const price = (usd) => (usd === null ? "no price" : `$${usd.toFixed(2)}`);
  const hundred = (domain, way) => {
    const ends = domain.interval[way].map((end) => (100 * end).toFixed(0));
    const made = make("span", `${(100 * domain.right[way]).toFixed(1)} `, classed(make("span", `[${ends.join(", ")}]`), "epc-interval"));
    return made;
  };
  const row = (domain, way, platform) => {
    const { words, usd, models } = ways[way];
    const until = models.map((model) =>
      platform ? served[model][platform] : Object.entries(served[model]).map((pair) => pair.join(" ")).join("; "));
    const who = Object.assign(make("th", make("span", words), " ", make("small", until.join(" / "))), { scope: "row" });
    const right = classed(make("span", hundred(domain, way), line(...domain.interval[way], domain.right[way])), "epc-scale");
    return make("tr", who, classed(make("td", price(usd)), "epc-number"), make("td", right));
  };

  const answer = () => {
    const given = new FormData(form);
    const name = given.get("domain");
    const [platform, budget] = [given.get("platform"), given.get("budget") === "" ? null : Number(given.get("budget"))];
    const domain = domains[name];
    const usable = ways.map((_, way) => way).filter((way) =>
      ways[way].models.every((model) => served[model] && (!platform || served[model][platform])));
    const { found, alone } = shortList(domain, usable, budget);
    place.replaceChildren();
    const limited = Boolean(platform) || budget !== null;
    for (const open of document.querySelectorAll(".epc-open")) open.hidden = limited;
    if (!limited) return; // as it is written below
    if (!found.length) {
      place.append(make("p", sentence.none));
      return;
    }
    const heads = HEAD.map((text) => Object.assign(make("th", text), { scope: "col" }));
    const table = make("table", make("thead", make("tr", ...heads)),
      make("tbody", ...found.map((way) => row(domain, way, platform))));
    table.className = "epc-plain epc-ways";
    const pair = (term, ...said) => make("div", make("dt", term), classed(make("dd", ...said), "epc-big"));
    const figures = classed(make("dl", pair("Right of 100", hundred(domain, found[0])), pair("For 1,000 questions", price(ways[found[0]].usd))), "epc-trio");
    const cheapest = found.find((way) => ways[way].usd !== null);
    const said = make("p", found.length > 1 ? sentence.several : alone ? sentence.alone : sentence.one, " ",
      cheapest === undefined ? "" : `${sentence.cheapest} ${ways[cheapest].words}: $${ways[cheapest].usd.toFixed(2)}.`);
    place.append(classed(make("div", make("h2", `${sentence.ask} ${ways[found[0]].words}.`), figures, said), "epc-result epc-answer"), table);
  };

  ask.hidden = false;
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  answer();
}
