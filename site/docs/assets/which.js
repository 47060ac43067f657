// "Which judge?" for a platform and a budget: the page holds what `epc which` answers for each, from which
// budget on. Nothing is decided here. All text is set as text.
{
  const form = document.getElementById("which");
  const place = document.getElementById("which-answer");
  const { ways, served, domains, cells, sentences } = JSON.parse(document.getElementById("which-data").textContent);

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

  // The last answer whose budget is not over the reader's; without one the last of all.
  const answerFor = (name, platform, budget) => {
    const rows = cells[name][platform] ?? [];
    return budget === null ? rows.at(-1) : rows.findLast((row) => row[0] !== null && row[0] <= budget);
  };

  const price = (usd) => (usd === null ? "no price" : `$${usd.toFixed(2)}`);
  const hundred = (domain, way) => {
    const ends = domain.interval[way].map((end) => (100 * end).toFixed(0));
    const made = make("span", `${(100 * domain.right[way]).toFixed(1)} `, classed(make("span", `[${ends.join(", ")}]`), "epc-interval"));
    return made;
  };
  const row = (domain, way, platform) => {
    const { words, usd, models, month } = ways[way];
    const until = models.map((model) =>
      platform ? served[model][platform] : Object.entries(served[model]).map((pair) => pair.join(" ")).join("; "));
    const who = Object.assign(make("th", make("span", words), " ", make("small", (month ? `${month}; ` : "") + until.join(" / "))), { scope: "row" });
    const right = classed(make("span", hundred(domain, way), line(...domain.interval[way], domain.right[way])), "epc-scale");
    return make("tr", who, classed(make("td", price(usd)), "epc-number"), make("td", right));
  };

  const answer = () => {
    const given = new FormData(form);
    const name = given.get("domain");
    const [platform, budget] = [given.get("platform"), given.get("budget") === "" ? null : Number(given.get("budget"))];
    const domain = domains[name];
    place.replaceChildren();
    const limited = Boolean(platform) || budget !== null;
    for (const open of document.querySelectorAll(".epc-open")) open.hidden = limited;
    if (!limited) return; // as it is written below
    const [, found, scorers, first, said] = answerFor(name, platform, budget);
    if (first === null) {
      place.append(make("p", sentences[said]));
      return;
    }
    const listed = (numbers) => {
      const heads = HEAD.map((text) => Object.assign(make("th", text), { scope: "col" }));
      const body = make("tbody", ...numbers.map((way) => row(domain, way, platform)));
      return classed(make("table", make("thead", make("tr", ...heads)), body), "epc-plain epc-ways");
    };
    const pair = (term, ...text) => make("div", make("dt", term), classed(make("dd", ...text), "epc-big"));
    const figures = classed(make("dl", pair("Right of 100", hundred(domain, first)), pair("For 1,000 questions", price(ways[first].usd))), "epc-trio");
    const verb = found.length ? "Ask" : "Score with";
    place.append(classed(make("div", make("h2", `${verb} ${ways[first].words}.`), figures, make("p", sentences[said])), "epc-result epc-answer"));
    if (found.length) place.append(listed(found));
    if (scorers.length) place.append(make("h3", "Reward models, to score with"), listed(scorers));
  };

  ask.hidden = false;
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  answer();
}
