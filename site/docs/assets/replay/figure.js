// A living figure: a published measurement replayed in the reader's browser, round by round, and
// what its figures would be with other verdicts or further seeds. Nothing loads from elsewhere.

import { comparison, make, number } from "./parts.js";

const PACE = 350; // milliseconds a round
const MOST_ADDED = 1000;

// Ask the worker; one answer for each question.
const asking = () => {
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  const waiting = new Map();
  let asked = 0;
  const settle = (how) => (event) => {
    event.preventDefault?.();
    for (const each of waiting.values()) each[how](new Error("the replay stopped"));
    waiting.clear();
  };
  worker.addEventListener("error", settle("failed"));
  worker.addEventListener("message", ({ data: { id, result, error } }) => {
    const { done, failed } = waiting.get(id);
    waiting.delete(id);
    if (error) failed(new Error(error));
    else done(result);
  });
  return (task, given) =>
    new Promise((done, failed) => {
      asked += 1;
      waiting.set(asked, { done, failed });
      worker.postMessage({ id: asked, task, ...given });
    });
};

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

// A file of this site, and what its SHA-256 says: "same", "other", or "unchecked".
const fetched = async ({ href, sha256 }) => {
  const answer = await fetch(href);
  if (!answer.ok) throw new Error(`${href}: ${answer.status}`);
  const bytes = await answer.arrayBuffer();
  if (!globalThis.crypto?.subtle) return { text: new TextDecoder().decode(bytes), digest: "unchecked" };
  const found = hex(await crypto.subtle.digest("SHA-256", bytes));
  return { text: new TextDecoder().decode(bytes), digest: found === sha256 ? "same" : "other" };
};

const DIGESTS = {
  same: "The SHA-256 of both files is the one that this page and the API publish.",
  unchecked:
    "The SHA-256 of the files was not checked: a browser computes it on pages that come by https or from this computer, and this one does not.",
};

const options = (given) => given.map(([value, text]) => make("option", { value }, text));
const labelled = (text, field) => make("label", {}, text, " ", field);
const select = (name, given) => make("select", { name }, ...options(given));
const button = (text, act) => {
  const made = make("button", { type: "button", className: "md-button" }, text);
  made.addEventListener("click", act);
  return made;
};
const words = (name) => name.replaceAll("_", " ");
const listed = (all) => (all.length < 2 ? all.join() : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`);
const spelled = (texts, task) => `task ${task + 1}: ${texts[task].slice(0, 60)}${texts[task].length > 60 ? "..." : ""}`;

// ---- Round by round ----

const player = (facts, ask, changes) => {
  const seed = select("seed", facts.seeds.map((each) => [each, each]));
  const phase = select("phase", facts.phases.map(({ name }) => [name, words(name)]));
  const round = make("input", { type: "range", min: 0, max: facts.rounds, value: 0 });
  const said = make("p", { className: "epc-living-round" });
  said.setAttribute("aria-live", "polite");
  const bars = facts.names.map((name) => {
    const bar = make("span", { className: "epc-living-bar" });
    const weight = make("td", { className: "epc-number" });
    const row = make("tr", {}, make("th", { scope: "row" }, words(name)), weight, make("td", { ariaHidden: "true" }, bar));
    return { bar, weight, row };
  });
  const head = make("tr", {}, make("th", { scope: "col" }, "Strategy"), make("th", { scope: "col", className: "epc-number" }, "Weight"), make("td", {}));
  const table = make("table", { className: "epc-living-weights" }, make("thead", {}, head), make("tbody", {}, ...bars.map(({ row }) => row)));

  let course = { start: [], rounds: [] };
  let ticking = null;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;

  const sentence = (at) => {
    const { domain } = facts.phases.find(({ name }) => name === phase.value);
    if (!at) return `Before round 1 of ${facts.rounds}. This phase trains on ${words(domain)}.`;
    const { task, strategy, verdict, uTask, uStrategy } = course.rounds[at - 1];
    const moved = { A: "it wins and its weight rises", B: "it loses and its weight falls" }[verdict] ?? "no weight moves";
    return (
      `${course.isWhatIf ? "What if, no measurement: round" : "Round"} ${at} of ${facts.rounds}: ${uTask.toFixed(3)} draws task ${task + 1}, ${uStrategy.toFixed(3)} stops the wheel at ` +
      `${words(facts.names[strategy])}. Verdict ${verdict}: ${moved}.`
    );
  };
  const draw = () => {
    const at = Number(round.value);
    const weights = at ? course.rounds[at - 1].after : course.start;
    bars.forEach(({ bar, weight, row }, strategy) => {
      bar.style.width = `${100 * weights[strategy]}%`;
      weight.replaceChildren(number(weights[strategy]));
      row.classList.toggle("epc-living-chosen", at > 0 && course.rounds[at - 1].strategy === strategy);
    });
    said.textContent = sentence(at);
    round.setAttribute("aria-valuetext", `round ${at} of ${facts.rounds}`);
  };
  const stop = () => {
    clearInterval(ticking);
    ticking = null;
    play.textContent = isStill ? "To the end" : "Play";
    said.setAttribute("aria-live", "polite");
  };
  const step = (by) => {
    round.value = Number(round.value) + by;
    draw();
  };
  const begin = () => {
    if (ticking) return stop();
    if (isStill) return step(facts.rounds);
    if (Number(round.value) === facts.rounds) round.value = 0;
    said.setAttribute("aria-live", "off"); // thirty sentences in ten seconds are no help
    play.textContent = "Pause";
    ticking = setInterval(() => {
      step(1);
      if (Number(round.value) === facts.rounds) stop();
    }, PACE);
    return undefined;
  };
  const manual = (act) => () => {
    stop();
    act();
  };
  const play = button("Play", begin);
  const load = async () => {
    stop();
    try {
      course = await ask("course", { changes: changes(), seed: Number(seed.value), phase: phase.value });
      draw();
    } catch (error) {
      said.textContent = error.message === "unknown" ? "This seed draws a pair that nobody asked." : "The replay failed.";
    }
  };
  seed.addEventListener("change", load);
  phase.addEventListener("change", load);
  round.addEventListener("input", manual(draw));
  stop();
  const controls = make(
    "div",
    { className: "epc-living-controls" },
    labelled("Seed", seed),
    labelled("Phase", phase),
    labelled("Round", round),
    button("Back", manual(() => step(-1))),
    button("Step", manual(() => step(1))),
    play,
  );
  const offer = (seeds) => {
    const chosen = seed.value;
    seed.replaceChildren(...options(seeds.map((each) => [each, facts.seeds.includes(each) ? each : `${each} (added)`])));
    seed.value = seeds.includes(Number(chosen)) ? chosen : seeds[0];
  };
  const scroll = make("div", { className: "epc-scroll", role: "region", tabIndex: 0, ariaLabel: "Weights in this round" }, table);
  return { parts: [make("h3", {}, "Round by round"), controls, said, scroll], load, offer };
};

// ---- What if ----

const EVERY = [
  ["published", "as published"],
  ["turned", "turned round (A for B, B for A)"],
  ["A", "always for the first answer (A)"],
  ["B", "always for the second answer (B)"],
];

const workbench = (facts, ask, state, told) => {
  const every = select("every", EVERY);
  const strategy = select("strategy", facts.names.map((name, at) => [at, words(name)]));
  const pairs = facts.domains.flatMap((domain) =>
    facts.texts[domain].map((_, task) => [`${domain} ${task}`, `${words(domain)}, ${spelled(facts.texts[domain], task)}`]),
  );
  const task = select("task", pairs);
  const verdict = select("verdict", ["A", "B", "tie"].map((each) => [each, each]));
  const more = make("input", { type: "number", name: "more", min: 0, max: MOST_ADDED, value: 0 });

  const chosen = () => {
    const [domain, number_] = task.value.split(" ");
    return [domain, Number(strategy.value), Number(number_)];
  };
  const offered = () => {
    const [domain, at, number_] = chosen();
    const own = facts.verdicts[domain][at][number_];
    verdict.disabled = set.disabled = !own;
    verdict.value = state.single.get(chosen().join(" ")) ?? own ?? "";
  };
  const apply = () => {
    state.every = every.value;
    state.more = Math.min(MOST_ADDED, Math.max(0, Math.floor(Number(more.value) || 0)));
    more.value = state.more;
    told();
  };
  const set = button("Set this verdict", () => {
    const [domain, at, number_] = chosen();
    const key = chosen().join(" ");
    if (verdict.value === facts.verdicts[domain][at][number_] && state.every === "published") state.single.delete(key);
    else state.single.set(key, verdict.value);
    told();
  });
  for (const each of [every, more]) each.addEventListener("change", apply);
  for (const each of [strategy, task]) each.addEventListener("change", offered);
  const reset = button("Back to what is published", () => {
    state.single.clear();
    every.value = "published";
    more.value = 0;
    apply();
    offered();
  });
  offered();
  return make(
    "fieldset",
    { className: "epc-living-controls" },
    make("legend", {}, "What if? None of this is a measurement"),
    make("p", {}, labelled("Every verdict", every)),
    make("p", {}, labelled("One verdict: of", strategy), labelled("on", task), labelled("to", verdict), set),
    make("p", {}, labelled("Further seeds", more), button("Add ten", () => {
      more.value = Number(more.value) + 10;
      apply();
    })),
    make("p", {}, reset),
  );
};

const changesInWords = (state, facts) => {
  const said = [];
  if (state.every !== "published") said.push(`every verdict ${EVERY.find(([name]) => name === state.every)[1]}`);
  if (state.single.size) {
    const one = [...state.single].map(([key, verdict]) => {
      const [domain, strategy, task] = key.split(" ");
      return `${words(facts.names[strategy])} on ${words(domain)} task ${Number(task) + 1} set to ${verdict}`;
    });
    said.push(one.length > 3 ? `${one.length} single verdicts set` : listed(one));
  }
  if (state.more) said.push(`${state.more} further seeds asked for`);
  return said;
};

const refusal = (refused, facts) => {
  if (!refused.length) return "";
  const { domain, strategy, task } = refused[0];
  const who = refused.length === 1 ? `Seed ${refused[0].seed} draws` : `${refused.length} seeds draw`;
  return ` ${who} a pair that nobody asked, such as ${words(facts.names[strategy])} on ${words(domain)} task ${task + 1}, and cannot be replayed.`;
};

// ---- The whole ----

const replayedInWords = ({ differ, seeds }) =>
  differ.length
    ? `The replay differs from what is published in ${differ.length} places, first in ${differ[0]}.`
    : `${seeds.length} seeds replayed: every draw, every choice, every weight, gamma and JSD is the published one to the last bit.`;

const built = (place, state, facts, ask, published, checked) => {
  const changes = { every: "published", single: new Map(), more: 0 };
  const copy = () => ({ every: changes.every, single: new Map(changes.single) });
  const steps = player(facts, ask, copy);
  const table = comparison(published, facts.directions);
  let latest = 0;
  const again = async () => {
    latest += 1;
    const own = latest;
    const said = changesInWords(changes, facts);
    if (said.length) state.textContent = "Computing.";
    try {
      const found = await ask("whatIf", { changes: copy(), more: changes.more });
      if (own !== latest) return; // the reader went on meanwhile
      const note = said.length ? `What if, no measurement: ${said.join("; ")}.` : "As published.";
      table.fill(found.figures, said.length > 0, note);
      const seeds = found.figures ? ` ${found.seeds} seeds.` : " No figure follows.";
      state.textContent = said.length ? note + seeds + refusal(found.refused, facts) : checked;
      const gone = new Set(found.refused.map(({ seed }) => seed));
      steps.offer([...facts.seeds, ...(found.added ?? []).filter((seed) => !gone.has(seed))]);
      await steps.load();
    } catch {
      if (own === latest) state.textContent = "The figures could not be computed.";
    }
  };
  const bench = facts.known
    ? workbench(facts, ask, changes, again)
    : make("p", {}, "Each round of this measurement was asked afresh. What the evaluator would have said in other rounds is not known, so nothing can be changed here and no seed added.");
  table.fill(facts.figures, false, "As published.");
  place.append(...steps.parts, make("h3", {}, "The figures"), bench, table.part);
  steps.load();
};

export const show = async (place) => {
  const { files, published } = JSON.parse(place.dataset.living);
  const state = make("p", { role: "status", className: "epc-living-state" }, "Fetching the trials.");
  const figure = make("div", { className: "epc-living-figure" }, state);
  place.append(figure);
  try {
    const [manifest, trials] = await Promise.all(files.map(fetched));
    const digests = [manifest.digest, trials.digest];
    if (digests.includes("other")) {
      const wrong = files.filter((_, at) => digests[at] === "other").map(({ name }) => name);
      state.textContent = `The SHA-256 of ${listed(wrong)} is not the published one. Nothing is replayed from it.`;
      return;
    }
    state.textContent = "Replaying.";
    const ask = asking();
    const { tasks: texts } = JSON.parse(manifest.text);
    const facts = await ask("open", { manifest: manifest.text, trials: trials.text, texts });
    const checked = `${DIGESTS[digests[0]]} ${replayedInWords(facts)}`;
    state.textContent = checked;
    built(figure, state, facts, ask, published, checked);
  } catch {
    state.textContent = "The trials could not be loaded or replayed here. The command `epc validate` does the same.";
  }
};
