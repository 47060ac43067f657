// Any two snapshots side by side: of recorded verdicts from a file that holds what is compared, of others from
// the answer for programs. What makes two of them like for like is what `epc compare` asks; all text is set as text.
(() => {
  "use strict";
  const form = document.getElementById("compare");
  const place = document.getElementById("comparison");
  if (!form || !place) return;
  const WORDS = JSON.parse(document.getElementById("figure-words").textContent);
  const CONDITIONS = ["generation", "protocol_version", "evaluator", "executor"];
  const EXPECTED = ["generation", "evaluator"]; // that these differ is why one compares
  const OF_KIND = { // a publication does not state these
    measured: ["rounds", "reuse", "exhaustive", "tasks", "strategies", "evaluator_prompt", "decoding"],
    judged: ["samples", "methods", "prompts", "mapping", "constraint", "retry_malformed", "decoding"],
    observed: ["source", "settings"],
  };
  // What is drawn, the first first; the table has every figure.
  const FIRST = ["transfer/redirected", "transfer/regret", "control/excess", "gamma", "verdict", "invalid",
    "place_consistency", "accuracy", "humans_majority", "repeat_consistency", "ties"];
  const MOST = 6; // figures in sight: both snapshots fit one screen
  const IDENTITY = ["model", "platform", "gateway", "proxy"];

  const DIGEST = /^[0-9a-f]{64}$/;

  const make = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };

  // A number keeps the digits that it was published with, where the browser tells them.
  const parsed = (text) =>
    JSON.parse(text, (_, value, context) =>
      typeof value === "number" ? { value, digits: context?.source ?? digits(value) } : value);

  // As the registry writes a number that is no count.
  const digits = (value) => {
    if (Number.isInteger(value) && Math.abs(value) < 1e16) return `${value}.0`;
    if (Math.abs(value) >= 1e-4) return String(value);
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  };

  // To three places; a half goes to the even neighbour, as the command line has it.
  const fixed = (value) => {
    const thousand = Math.abs(value) * 1000;
    const whole = Math.floor(thousand);
    const half = Number.isInteger(value * 16) && thousand - whole === 0.5;
    if (!half) return value.toFixed(3);
    return `${value < 0 ? "-" : ""}${((whole + (whole % 2)) / 1000).toFixed(3)}`;
  };

  const number = ({ value, digits: exact }, sign = false) => {
    const made = make("data", `${sign && value >= 0 ? "+" : ""}${fixed(value)}`);
    made.value = exact;
    made.title = exact;
    return made;
  };

  // Of recorded verdicts: each figure under the name of its setting.
  const ofGroup = ({ settings, figures: stated }) =>
    Object.entries(stated).map(([name, { value, ci95 }]) => [`${name}/${settings[0]}`, { mean: value, ci95 }]);

  const figures = (given, prefix = "") =>
    Object.keys(given).sort().flatMap((key) => {
      const value = given[key];
      if (key === "groups") return value.flatMap(ofGroup);
      if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
      if ("mean" in value) return value.mean === null ? [] : [[prefix + key, value]];
      return "digits" in value ? [] : figures(value, `${prefix}${key}/`);
    });

  // As those of another judge are called: a source's settings may all begin with its name of the judge.
  const byName = (snapshot) => {
    const heads = new Set((snapshot.figures.groups ?? []).map(({ settings: [name] }) =>
      name.includes("/") ? name.slice(0, name.indexOf("/")) : null));
    const [head] = heads;
    const common = heads.size === 1 && head !== null;
    return new Map(figures(snapshot.figures).map(([name, figure]) =>
      [common ? name.replace(`/${head}/`, () => "/") : name, figure]));
  };

  const condition = (snapshot, key) => {
    if (!CONDITIONS.includes(key)) return snapshot.conditions[key];
    const value = snapshot[key];
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(IDENTITY.map((part) => [part, value[part]]));
  };

  const titled = (key) => key === "settings" ? "ways of asking" : key.replaceAll("_", " ");

  const inWords = (value) => {
    if (value === null) return "none";
    if (typeof value === "string" && DIGEST.test(value)) return `SHA-256 ${value.slice(0, 12)}…`;
    if (typeof value !== "object") return String(value);
    if (Array.isArray(value)) return value.join(", ");
    if ("digits" in value) return value.digits;
    const through = value.gateway ? ` through ${value.gateway}` : "";
    const proxy = value.proxy ? ", a third party's gateway" : "";
    return `${value.platform ?? "embedded"}/${value.model}${through}${proxy}`;
  };

  const cell = (content, name = "td") => {
    const made = make(name, content);
    if (name === "th") made.scope = "row";
    return made;
  };

  const table = (label, names, rows) => {
    for (const row of rows) [...row.cells].forEach((each, index) => { each.dataset.label = names[index]; });
    const head = make("tr", ...names.map((name) => Object.assign(make("th", name), { scope: "col" })));
    const made = make("table", make("thead", head), make("tbody", ...rows));
    made.className = "epc-cards";
    const region = Object.assign(make("div", made), { className: "epc-scroll", tabIndex: 0 });
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", label);
    const title = make("summary", make("h2", label));
    const fold = make("details", title, make("div", region));
    fold.className = "epc-fold";
    return fold;
  };

  const stated = (figure, reading) => {
    if (!figure) return "not stated";
    const made = make("span", number(figure.mean));
    const [low, high] = figure.ci95 ?? [];
    const interval = make("span", ...(low ? ["[", number(low), ", ", number(high), "]"] : ["(no interval)"]));
    interval.className = "epc-interval";
    made.append(" ", interval, reading ? `, ${reading}` : "");
    return made;
  };

  const about = (snapshot) => {
    const { status, note, as_of: day } = snapshot.expiry;
    const link = Object.assign(make("a", snapshot.tag), {
      href: `../snapshots/${encodeURIComponent(snapshot.tag)}/`,
    });
    const { from, to } = snapshot.measured ?? { from: "unknown", to: "unknown" };
    const days = [...new Set([from, to])].join(" to ");
    const faults = snapshot.known_faults.length;
    return [
      link,
      `on ${day} ${status}: ${note}`,
      snapshot.failed ? "failed run: no figure of it can be compared"
        : snapshot.audit ? `${snapshot.audit.verdict.replaceAll("_", " ")} (rule ${snapshot.audit.rule?.value ?? 1})`
        : snapshot.kind === "judged" ? "a judge's scores: no trials"
        : snapshot.kind === "observed" ? "recorded by others: no trials" : "no trials to audit",
      snapshot.trust,
      days,
      String(snapshot.figures.n.value),
      faults ? `${faults}: ${snapshot.known_faults.map(({ id }) => id).join(", ")}` : "none",
    ];
  };

  // A figure's name in words: that of its longest known beginning, then what follows it.
  const said = (name) => {
    const given = name.split("/");
    for (let end = given.length; end > 0; end -= 1) {
      const known = WORDS[given.slice(0, end).join("/")];
      const rest = given.slice(end).map((part) =>
        /^[a-z0-9_-]+_to_[a-z0-9_-]+$/.test(part) ? part.replaceAll("_", " ") : part).join("/");
      if (known) return rest ? `${known}: ${rest}` : known;
    }
    return name.replaceAll("_", " ");
  };

  // Another evaluator is what one compares; another setting makes a difference say nothing of it.
  const judged = (a, b, another, warned) => {
    const told = (name, text) => Object.assign(make("p", make("strong", text)), { className: name });
    if (!another.length && !warned.length) return [told("epc-alike", "Like for like.")];
    const found = [];
    if (warned.length) {
      const keys = warned.map(([key]) => titled(key)).join(", ");
      found.push(told("epc-unlike", `The two used different settings (${keys}). These may explain a difference.`));
    }
    if (another.length) {
      const whose = a.generation === b.generation ? "the same generation, asked elsewhere"
        : `${a.generation} and ${b.generation}`;
      found.push(told("epc-another", `Another evaluator, as expected: ${whose}.`
        + (warned.length ? "" : " The setting is the same.")));
    }
    return found;
  };

  const SVG = "http://www.w3.org/2000/svg";
  const mark = (name, given) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
    return made;
  };

  // Both figures of a name on one scale of their own, as wide as the page.
  const pictured = (name, x, y) => {
    const bounds = [x, y].flatMap(({ mean, ci95 }) =>
      [mean.value, ...(ci95 ?? []).map((bound) => bound.value)]);
    const [low, high] = [Math.min(0, ...bounds), Math.max(...bounds, 0)];
    const at = (value) => `${2 + (96 * (value - low)) / (high - low || 1)}%`;
    const row = (figure, place) => {
      const made = mark("g", { class: place ? "epc-second" : "" });
      const middle = 10 + 16 * place;
      if (figure.ci95) {
        const [from, to] = figure.ci95.map((bound) => at(bound.value));
        made.append(mark("line", { x1: from, x2: to, y1: middle, y2: middle }));
      }
      made.append(mark("circle", { cx: at(figure.mean.value), cy: middle, r: 5.5 }));
      return made;
    };
    const svg = mark("svg", { class: "epc-line", width: "100%", height: 36, "aria-hidden": "true" });
    svg.append(mark("line", { class: "epc-at", x1: at(0), x2: at(0), y1: 0, y2: 36 }),
      row(x, 0), row(y, 1));
    const line = make("div", make("span", said(name)), svg, make("b", stated(x), make("br"), stated(y)));
    line.className = "epc-row";
    return line;
  };

  const drawn = (a, b, rows) => {
    const one = make("div", ...rows.map((row) => pictured(...row)));
    one.setAttribute("role", "group");
    one.setAttribute("aria-label", `Figures of ${a.tag} and ${b.tag}, each with its interval`);
    const note = make("p", `Above, full: ${a.tag}. Below, hollow: ${b.tag}. Each has its 95% interval, where one is known. `
      + "Dashed: zero. Scales differ from figure to figure. Intervals that overlap do not show that two figures are the same.");
    note.className = "epc-reading";
    const made = make("figure", make("figcaption", "Both figures, with their intervals"), one, note);
    made.className = "epc-forest epc-both";
    return made;
  };

  const shown = (a, b) => {
    if ((a.kind === "observed") !== (b.kind === "observed")) {
      const [own, other] = a.kind === "observed" ? [a, b] : [b, a];
      place.replaceChildren(make("p", `${own.tag} is of verdicts that others recorded, and ${other.tag} is `
        + `${other.kind}: they have no figure in common.`));
      return;
    }
    const parts = [];
    const own = (a.kind === b.kind && OF_KIND[a.kind]) || [];
    const apart = [...CONDITIONS, ...own].map((key) => [key, condition(a, key), condition(b, key)])
      .filter(([, x, y]) => JSON.stringify(x) !== JSON.stringify(y));
    const another = apart.filter(([key]) => EXPECTED.includes(key));
    const warned = apart.filter(([key]) => !EXPECTED.includes(key));
    for (const { tag } of [a, b].filter(({ failed }) => failed)) {
      parts.push(Object.assign(make("p", make("strong", `${tag} is a failed run: no figure of it can be compared.`)),
        { className: "epc-unlike" }));
    }
    parts.push(...judged(a, b, another, warned));
    const folds = [];
    if (apart.length) {
      const rows = [...warned, ...another].map(([key, x, y]) =>
        make("tr", cell(titled(key), "th"), cell(inWords(x)), cell(inWords(y))));
      folds.push(table("What differs", ["Condition", a.tag, b.tag], rows));
    }
    const names = ["Snapshot", "Status", "Audit", "Trust", "Measured", "N", "Known faults"];
    const facts = [about(a), about(b)];
    const known = names.map((name, index) =>
      make("tr", cell(name, "th"), ...facts.map((fact) => cell(fact[index]))));
    folds.push(table("Both snapshots", ["What", "First", "Second"], known));
    const [left, right] = [a, b].map(byName);
    if (![...left.keys()].some((name) => right.has(name))) {
      parts.push(make("p", "No figure is stated of both, so none can be set side by side."));
    }
    const every = [...new Set([...left.keys(), ...right.keys()])].sort();
    const shared = every.filter((name) => left.has(name) && right.has(name));
    const main = FIRST.flatMap((start) => shared.filter((name) => name === start || name.startsWith(`${start}/`)));
    const both = (main.length ? main : shared).slice(0, MOST);
    if (both.length && !a.failed && !b.failed) {
      parts.push(drawn(a, b, both.map((name) => [name, left.get(name), right.get(name)])));
    }
    const rows = every.map((name) => {
      const [x, y] = [left.get(name), right.get(name)];
      const gap = x && y && !a.failed && !b.failed ? y.mean.value - x.mean.value : null;
      const difference = gap === null ? "" : number({ value: gap, digits: digits(gap) }, true);
      const head = cell(`${said(name)} `, "th");
      head.append(make("br"), make("code", name));
      return make("tr", head, cell(stated(x, a.epc_5_2[name])), cell(stated(y, b.epc_5_2[name])),
        cell(difference));
    });
    folds.push(table("Figures side by side", ["Figure", a.tag, b.tag, "Difference"], rows));
    place.replaceChildren(...parts, ...folds);
  };

  const fetched = async (tag) => {
    const file = `${encodeURIComponent(tag)}.json`;
    const { dataset } = [...form.elements.a.options].find(({ value }) => value === tag);
    const answer = await fetch("verdicts" in dataset ? file : `../api/v1/snapshots/${file}`);
    if (!answer.ok) throw new Error(`there is no answer about ${tag} (${answer.status})`);
    return parsed(await answer.text());
  };

  let last; // who chooses again before an answer came waits for the later one
  const compare = async (a, b) => {
    const pair = (last = Symbol(a));
    if (a === b) {
      place.replaceChildren(make("p", `Both are ${a}. Choose two that are not the same.`));
      return;
    }
    try {
      const both = await Promise.all([fetched(a), fetched(b)]);
      if (pair === last) shown(...both);
    } catch (error) {
      place.replaceChildren(make("p", `These two cannot be compared: ${error.message}`));
    }
  };

  const asked = new URLSearchParams(location.search);
  for (const name of ["a", "b"]) {
    const tag = asked.get(name);
    const choice = form.elements[name];
    if (tag === null) continue;
    if ([...choice.options].some((option) => option.value === tag)) choice.value = tag;
    else place.append(make("p", `There is no snapshot ${tag} here.`));
  }
  const tell = () => {
    const command = `epc compare ${form.elements.a.value} ${form.elements.b.value}`;
    document.getElementById("command").textContent = command;
  };
  tell();
  const choose = (event) => {
    event?.preventDefault();
    tell();
    const chosen = new URLSearchParams({ a: form.elements.a.value, b: form.elements.b.value });
    history.replaceState(null, "", `?${chosen}`);
    compare(chosen.get("a"), chosen.get("b"));
  };
  form.addEventListener("change", choose);
  form.addEventListener("submit", choose);
  const chosen = [form.elements.a, form.elements.b].some(({ selectedOptions: [option] }) => !option?.defaultSelected);
  if (asked.has("a") && asked.has("b") && !place.childElementCount) {
    compare(asked.get("a"), asked.get("b"));
  } else if (chosen && !asked.size) {
    choose(); // before this script came, or before the page was loaded again
  }
})();
