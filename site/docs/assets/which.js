// "Which judge?" for a platform and a budget: what `epc which` decides (epc/analysis/choosing.py), from
// the shares and covariances in the page. All text is set as text.
{
  const form = document.getElementById("which");
  const place = document.getElementById("which-answer");
  const { ways, served, domains, sentence } = JSON.parse(document.getElementById("which-data").textContent);
  const LEAST = 1e-9; // a spread so small is that of equal choices

  const make = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };

  const HEAD = ["Who is asked, how often", "Right", "For 1,000 questions", "Served"];
  const labelled = (cell, label) => {
    cell.dataset.label = label;
    if (cell.tagName === "TH") cell.scope = "row";
    return cell;
  };

  const shortList = (domain, usable, budget) => {
    const covariance = (one, other) => domain.covariance[Math.max(one, other)][Math.min(one, other)];
    const fits = usable.filter((way) => budget === null || (ways[way].usd !== null && ways[way].usd <= budget));
    const point = domain.points[Math.max(1, fits.length - 1) - 1];
    const beats = (one, other) => {
      const spread = covariance(one, one) + covariance(other, other) - 2 * covariance(one, other);
      return spread > LEAST ** 2 && domain.right[one] - domain.right[other] > point * Math.sqrt(spread);
    };
    const left = new Map();
    for (const way of [...fits].sort((one, other) => ways[one].askings - ways[other].askings)) {
      const key = ways[way].models.join(" ");
      if (!left.has(key) && !fits.some((other) => beats(other, way))) left.set(key, way);
    }
    const usd = (way) => ways[way].usd ?? Infinity;
    const found = [...left.values()].sort((one, other) =>
      usd(one) === usd(other) ? domain.right[other] - domain.right[one] : usd(one) - usd(other));
    return { found, alone: !fits.some((way) => ways[way].models.length === 1 && !left.has(ways[way].models.join(" "))) };
  };

  const percent = (value) => `${(100 * value).toFixed(1)}%`;
  const row = (domain, way, platform) => {
    const reach = domain.interval * Math.sqrt(domain.covariance[way][way]);
    const ends = [Math.max(0, domain.right[way] - reach), Math.min(1, domain.right[way] + reach)];
    const { words, usd, models } = ways[way];
    const until = models.map((model) =>
      platform ? served[model][platform] : Object.entries(served[model]).map((pair) => pair.join(" ")).join("; "));
    const cells = [words, `${percent(domain.right[way])} [${ends.map(percent).join(", ")}]`,
      usd === null ? "no price" : `$${usd.toFixed(2)}`, until.join(" / ")];
    return make("tr", ...cells.map((text, at) => labelled(make(at ? "td" : "th", text), HEAD[at])));
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
    if (!platform && budget === null) return; // as it is written below
    if (!found.length) {
      place.append(make("p", sentence.none));
      return;
    }
    const heads = HEAD.map((text) => Object.assign(make("th", text), { scope: "col" }));
    const table = make("table", make("thead", make("tr", ...heads)),
      make("tbody", ...found.map((way) => row(domain, way, platform))));
    table.className = "epc-rows";
    const cheapest = found.find((way) => ways[way].usd !== null);
    place.append(make("p", found.length > 1 ? sentence.several : alone ? sentence.alone : sentence.one, " ",
      cheapest === undefined ? "" : `${sentence.cheapest} ${ways[cheapest].words}: $${ways[cheapest].usd.toFixed(2)}.`), table);
  };

  form.hidden = false;
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  answer();
}
