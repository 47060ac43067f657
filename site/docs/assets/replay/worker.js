// The computing beside the page, so that the page stays quick: one published measurement, replayed
// once, and then whatever the reader changes in it.

import { Unknown, changed, figures, isKnown, read, replayed, roundsSay, runSeed, runsOf, tableSays, verdictIn } from "./measurement.js";

let given;
let published;

const EVERY = {
  published: (verdict) => verdict,
  turned: (verdict) => ({ A: "B", B: "A" })[verdict] ?? verdict,
  A: () => "A",
  B: () => "B",
};
const place = (domain, strategy, task) => `${domain} ${strategy} ${task}`;

// The table after what the reader changed: every verdict first, then single ones.
const tableOf = ({ every, single }) =>
  changed(given.table, (verdict, domain, strategy, task) => single.get(place(domain, strategy, task)) ?? EVERY[every](verdict));

const isUntouched = ({ every, single }) => every === "published" && !single.size;

const open = ({ manifest, trials, texts }) => {
  given = read(JSON.parse(manifest), trials);
  published = replayed(given);
  const { names, domains, rounds, seeds } = given;
  return {
    ...{ names, domains, rounds, seeds, texts },
    differ: published.differ,
    known: isKnown(given),
    directions: given.directions.map(({ name }) => name),
    phases: given.phases.map(({ name, domain }) => ({ name, domain })),
    verdicts: Object.fromEntries(
      domains.map((domain) => [
        domain,
        names.map((_, strategy) => given.table[domain][strategy].map((__, task) => verdictIn(given.table, domain, strategy, task))),
      ]),
    ),
    figures: figures(given, given.table, published.runs),
  };
};

// The figures after changes and with further seeds. A seed that draws a pair without a verdict
// cannot be replayed: a further one is left out, and without a published one there is no figure.
const whatIf = ({ changes, more }) => {
  const table = tableOf(changes);
  const refused = [];
  const run = (seed) => {
    try {
      return runsOf(given, table, [seed]);
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      refused.push({ seed, domain: error.domain, strategy: error.strategy, task: error.task });
      return [];
    }
  };
  const own = isUntouched(changes) ? published.runs : given.seeds.flatMap(run);
  if (own.length < given.seeds.length) return { figures: null, refused };
  const last = given.seeds.reduce((most, seed) => Math.max(most, seed), 0);
  const added = Array.from({ length: more }, (_, at) => last + 1 + at);
  const runs = [...own, ...added.flatMap(run)];
  return { figures: figures(given, table, runs), refused, seeds: runs.length, added };
};

// A phase of a seed, round by round.
const course = ({ changes, seed, phase }) => {
  const rounds = [];
  const isWhatIf = !isUntouched(changes) || !given.stated.has(seed);
  const said = isWhatIf ? tableSays(given, tableOf(changes)) : roundsSay(given, seed);
  runSeed(given, seed, said, (each, round) => each.name === phase && rounds.push(round));
  const start = rounds[0]?.before ?? given.rule.policy(given.rule.start(given.names.length));
  return { start, rounds, isWhatIf };
};

const TASKS = { open, whatIf, course };

self.addEventListener("message", ({ data: { id, task, ...asked } }) => {
  try {
    self.postMessage({ id, result: TASKS[task](asked) });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Unknown ? "unknown" : String(error) });
  }
});
