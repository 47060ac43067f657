// "Which judge?" for a platform and a budget, on the reader's day: the page holds what `epc which` answers
// for each, from which day and budget on. Nothing is decided here. All text is set as text.
import { dayOf, standing } from "./turns.js";

{
  const form = document.getElementById("which");
  const place = document.getElementById("which-answer");
  const { built, days, ways, served, figures, cells, rest, sentences, notes } = JSON.parse(document.getElementById("which-data").textContent);
  const today = dayOf(built);
  const of = (turns) => standing(turns, today)[1];
  const isAsBuilt = standing(days.map((day) => [day]), today)[0] === days[0];

  const make = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };

  const HEAD = ["Who is asked", "For 1,000", "Right"];
  const classed = (made, className) => Object.assign(made, { className });
  const ask = form.querySelector(".epc-ask");

  // A figure on its line, as the page's own tables have it (epc/site/charts/forest.py).
  const line = ([, , low, high, right]) => {
    const mark = (parent, name, given) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
      parent?.append(made);
      return made;
    };
    const svg = mark(null, "svg", { class: "epc-line", width: "100%", height: 24, "aria-hidden": "true" });
    mark(svg, "line", { class: "epc-reach", x1: "2%", x2: right, y1: 12, y2: 12 });
    mark(svg, "line", { x1: low, x2: high, y1: 12, y2: 12 });
    mark(svg, "circle", { cx: right, cy: 12, r: 5.5 });
    return svg;
  };

  // The last answer whose budget is not over the reader's; without one the last of all.
  const answerFor = (name, platform, budget) => {
    const rows = of(cells[name][platform]);
    return budget === null ? rows.at(-1) : rows.findLast((row) => row[0] !== null && row[0] <= budget);
  };

  const price = (usd) => (usd === null ? "no price" : `$${usd.toFixed(2)}`);
  const month = (way) => (ways[way].months.length ? of(ways[way].months) : "");
  const hundred = ([share, interval]) => make("span", `${share} `, classed(make("span", interval), "epc-interval"));
  const row = (name, way, platform) => {
    const { words, usd, models } = ways[way];
    const until = models.map((model) => {
      const places = of(served[model]);
      const [, there] = places.find(([at]) => at === platform) ?? [];
      return there ?? places.map((pair) => pair.join(" ")).join("; ");
    });
    const when = month(way) ? `${month(way)}; ` : "";
    const who = Object.assign(make("th", make("span", words), " ", make("small", when + until.join(" / "))), { scope: "row" });
    const right = classed(make("span", hundred(figures[name][way]), line(figures[name][way])), "epc-scale");
    return make("tr", who, classed(make("td", price(usd)), "epc-number"), make("td", right));
  };

  const answer = () => {
    const given = new FormData(form);
    const name = given.get("domain");
    const [platform, budget] = [given.get("platform"), given.get("budget") === "" ? null : Number(given.get("budget"))];
    place.replaceChildren();
    const limited = Boolean(platform) || budget !== null;
    const opens = document.querySelectorAll(".epc-open");
    for (const open of opens) open.hidden = limited || !isAsBuilt;
    if (!limited && isAsBuilt) return; // as it is written below
    const [, found, scorers, first, said] = answerFor(name, platform, budget);
    if (first === null) {
      place.append(make("p", sentences[said]));
      return;
    }
    const listed = (numbers) => {
      const heads = HEAD.map((text) => Object.assign(make("th", text), { scope: "col" }));
      const body = make("tbody", ...numbers.map((way) => row(name, way, platform)));
      return classed(make("table", make("thead", make("tr", ...heads)), body), "epc-plain epc-ways");
    };
    const pair = (term, ...text) => make("div", make("dt", term), classed(make("dd", ...text), "epc-big"));
    const right = pair("Right of 100", hundred(figures[name][first]), " ", make("small", month(first)));
    const trio = classed(make("dl", right, pair("For 1,000 questions", price(ways[first].usd))), "epc-trio");
    const verb = found.length ? "Ask" : "Score with";
    place.append(classed(make("div", make("h2", `${verb} ${ways[first].words}.`), trio, make("p", sentences[said])), "epc-result epc-answer"));
    if (found.length) place.append(listed(found));
    const [less, fewer, may] = limited ? [[], [], null] : of(rest[name]);
    if (scorers.length) place.append(make("h3", "Reward models, to score with"), listed([...scorers, ...fewer]));
    if (less.length) {
      const title = make("h3", `Shown to be right less often: ${less.length} judges, in their best way`);
      place.append(classed(make("details", make("summary", title), make("div", listed(less))), "epc-fold"));
    }
    const box = document.querySelector(".epc-open .epc-may")?.closest(".epc-result").cloneNode(true);
    if (limited || !box) return;
    box.querySelector(".epc-may dd").textContent = sentences[may];
    place.append(box);
  };

  for (const note of document.querySelectorAll("[data-note]")) note.textContent = of(notes[note.dataset.note]);
  ask.hidden = false;
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  answer();
}
