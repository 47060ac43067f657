// A published measurement that can be replayed and changed: its seeds, its table of verdicts, and
// the figures that follow from both. As published, every figure is the program's to the last bit.

import { fsum, gamma, jsd, mean } from "./arithmetic.js";
import { directionsOf, everyPhase, ruleOf, runPhases, train, uniforms } from "./protocol.js";

const VERDICTS = ["A", "B", "tie"]; // the order of a table's counts

// What `manifest.json` and `trials.jsonl` hold, as one value.
export const read = (manifest, trials) => {
  const names = manifest.strategies.map(({ name }) => name);
  const domains = Object.keys(manifest.tasks).sort();
  const records = manifest.results.per_seed;
  const ran = new Set(Object.keys(records[0].weights));
  const { counts, repeated } = manifest.results.verdict_table;
  const table = Object.fromEntries(domains.map((domain) => [domain, names.map((name) => counts[domain][name])]));
  const rows = new Map(records.map(({ seed }) => [seed, {}]));
  for (const line of trials.split("\n").filter(Boolean)) {
    const row = JSON.parse(line);
    (rows.get(row.seed)[row.phase] ??= []).push({ ...row, strategy: names.indexOf(row.strategy) });
  }
  return {
    names,
    domains,
    tasks: Object.fromEntries(domains.map((domain) => [domain, manifest.tasks[domain].length])),
    rule: ruleOf(manifest.config),
    rounds: manifest.config.rounds,
    control: manifest.config.control,
    phases: everyPhase(domains).filter(({ name }) => ran.has(name)),
    directions: directionsOf(domains),
    seeds: records.map(({ seed }) => seed),
    stated: new Map(records.map((record) => [record.seed, record])),
    summary: manifest.results.summary,
    table,
    repeated,
    // What recorded verdicts lack is missing for good, and no pair that nobody asked (Reading R72).
    whole: manifest.evaluator.method === "recorded" && manifest.config.exhaustive,
    rows,
  };
};

// Whether each pair has one verdict that holds in every round. Else a changed or a further seed
// would need answers that nobody has.
export const isKnown = (given) =>
  given.repeated && Object.values(given.table).flat(2).every((counts) => counts[0] + counts[1] + counts[2] <= 1);

export const verdictIn = (table, domain, strategy, task) => {
  const at = table[domain][strategy][task].findIndex((count) => count > 0);
  return at < 0 ? null : VERDICTS[at];
};
export const changed = (table, change) =>
  Object.fromEntries(
    Object.entries(table).map(([domain, rows]) => [
      domain,
      rows.map((row, strategy) =>
        row.map((counts, task) => {
          const verdict = verdictIn(table, domain, strategy, task);
          const now = verdict && change(verdict, domain, strategy, task);
          return now === verdict ? counts : VERDICTS.map((each) => Number(each === now));
        }),
      ),
    ]),
  );

// What a seed drew that has no verdict.
export class Unknown extends Error {
  constructor(place) {
    super("a pair that nobody asked");
    Object.assign(this, place);
  }
}

// Run a seed's phases. `said(phase, round, task, strategy)` gives a verdict; `told(phase, round)`
// gets every round with its draws.
export const runSeed = (given, seed, said, told = () => {}) =>
  runPhases(given.phases, given.rule.start(given.names.length), (phase, state) => {
    const drawn = uniforms([seed, phase.stream], 2 * given.rounds);
    const turns = Array.from({ length: given.rounds }, (_, round) => ({ u: drawn[2 * round + 1] }));
    const many = given.tasks[phase.domain];
    const taskOf = (round) => Math.min(Math.floor(drawn[2 * round] * many), many - 1);
    return train(
      given.rule,
      state,
      turns,
      (round, strategy) => said(phase, round, taskOf(round), strategy),
      (round) =>
        told(phase, { ...round, task: taskOf(round.round), uTask: drawn[2 * round.round], uStrategy: turns[round.round].u }),
    );
  });

// The verdicts of a table, for any seed.
export const tableSays = (given, table) => (phase, round, task, strategy) => {
  const verdict = verdictIn(table, phase.domain, strategy, task);
  if (verdict) return verdict;
  if (given.whole) return "missing";
  throw new Unknown({ domain: phase.domain, strategy, task });
};
// The verdicts of a published seed's own rounds.
export const roundsSay = (given, seed) => (phase, round) => given.rows.get(seed)[phase.name][round].verdict;

const weightsOf = (done) => Object.fromEntries(Object.entries(done).map(([name, { weights }]) => [name, weights]));

// Replay every published seed from its own rounds, and compare with what is published: every draw,
// task, strategy and verdict, and every seed's weights, gamma and JSD to the last bit.
export const replayed = (given) => {
  const differ = [];
  const runs = given.seeds.map((seed) => {
    const stated = given.stated.get(seed);
    const known = isKnown(given) && tableSays(given, given.table);
    const done = runSeed(given, seed, roundsSay(given, seed), (phase, round) => {
      const row = given.rows.get(seed)[phase.name][round.round];
      const same =
        [row.round, row.task, row.strategy, row.u_task, row.u_strategy].join() ===
        [round.round, round.task, round.strategy, round.uTask, round.uStrategy].join();
      const asKnown = !known || known(phase, round.round, round.task, round.strategy) === row.verdict;
      if (!same || !asKnown) differ.push(`seed ${seed}, ${phase.name}, round ${round.round}`);
    });
    const weights = weightsOf(done);
    for (const [phase, own] of Object.entries(weights)) {
      if (given.names.some((name, at) => stated.weights[phase][name] !== own[at])) differ.push(`seed ${seed}, weights of ${phase}`);
    }
    for (const { name, target } of given.directions) {
      if (stated.gamma[name] !== gamma(weights[name], weights[target])) differ.push(`seed ${seed}, gamma of ${name}`);
      if (stated.jsd[name] !== jsd(weights[name], weights[target])) differ.push(`seed ${seed}, JSD of ${name}`);
    }
    return weights;
  });
  return { runs, differ };
};

// The final weights of some seeds by a table of verdicts.
export const runsOf = (given, table, seeds) => seeds.map((seed) => weightsOf(runSeed(given, seed, tableSays(given, table))));

// ---- The noise floor and what crosses (Readings R15, R38 and R70) ----

const CONTROL = 20260703;
const AGAIN = 20261125;
const WHEELS = 4096;
const KEPT = 24;
const [STARTS, FEWEST, COMPARED] = [1000, 50, 500_000];

const drawn = new Map(); // a stream's uniforms, which no verdict changes
const cached = (entropy, count) => {
  const key = `${entropy} ${count}`;
  if (!drawn.has(key)) drawn.set(key, uniforms(entropy, count));
  return drawn.get(key);
};

const summed = (rows) => rows.map((row) => VERDICTS.map((_, at) => row.reduce((sum, counts) => sum + counts[at], 0)));
const added = ([a, b, c]) => a + b + c;

// How often each strategy wins and ties in a domain, as far as the table tells (Reading R38).
const rates = (given, table, domain, repeated) => {
  const said = summed(table[domain]);
  const pooled = VERDICTS.map((_, at) => said.reduce((sum, row) => sum + row[at], 0) + 1 / 3);
  const whole = added(pooled);
  return said.map((row, strategy) => {
    let leaning = row.map((count, at) => (count + (0.5 * pooled[at]) / whole) / (added(row) + 0.5));
    if (!repeated) return leaning;
    const unseen = given.tasks[domain] - added(row);
    if (given.whole) leaning = [0, 0, 1]; // a missing pair moves no weight, like a tie
    return row.map((count, at) => (count + unseen * leaning[at]) / given.tasks[domain]);
  });
};

// The weights after two phases in one domain, of many simulated wheels. The last ones are kept: a
// change in one domain leaves the other's as they are, and further seeds leave both.
const trained = new Map();
const trainedTwice = (given, odds, entropy, wheels) => {
  const key = JSON.stringify([entropy, wheels, odds]);
  if (!trained.has(key)) {
    if (trained.size >= KEPT) trained.delete(trained.keys().next().value);
    trained.set(key, wheeled(given, odds, entropy, wheels));
  }
  return trained.get(key);
};
const wheeled = (given, odds, entropy, wheels) => {
  const numbers = cached(entropy, 4 * given.rounds * wheels);
  const start = given.rule.start(odds.length);
  return Array.from({ length: wheels }, (_, wheel) => {
    let state = start;
    for (const phase of [0, 1]) {
      const at = (round) => 2 * wheels * (phase * given.rounds + round) + wheel;
      const turns = Array.from({ length: given.rounds }, (__, round) => ({ u: numbers[at(round)] }));
      const ask = (round, strategy) => {
        const u = numbers[at(round) + wheels];
        const [a, , tie] = odds[strategy];
        if (u < a) return "A";
        return u >= Math.max(a, 1 - tie) ? "tie" : "B";
      };
      ({ state } = train(given.rule, state, turns, ask));
    }
    return given.rule.policy(state);
  });
};

// What gamma is where the domain does not change, seed by seed.
const simulatedFloor = (given, table, target, runs) => {
  const wheels = Math.max(FEWEST, Math.min(STARTS, Math.floor(COMPARED / runs.length)));
  const odds = rates(given, table, target, given.repeated);
  const twice = trainedTwice(given, odds, [CONTROL, given.domains.indexOf(target), 0], wheels);
  return runs.map((run) => {
    const pure = run[target];
    const length = pure.reduce((sum, still) => sum + still * still, 0);
    return mean(
      twice.map((moved) => {
        let apart = 0;
        moved.forEach((weight, at) => {
          const difference = weight - pure[at];
          apart += difference * difference;
        });
        return Math.sqrt(apart / length);
      }),
    );
  });
};

// pi(Y,Y) by simulation, strategies in the order of their names (Reading R73).
const trainedAgain = (given, table, target) => {
  const once = Object.values(table).flat(2).every((counts) => added(counts) <= 1);
  const odds = rates(given, table, target, once);
  const byName = given.names.map((_, at) => at).sort((a, b) => (given.names[a] < given.names[b] ? -1 : 1));
  const ended = trainedTwice(given, byName.map((at) => odds[at]), [AGAIN], WHEELS);
  return given.names.map((_, at) => mean(ended.map((weights) => weights[byName.indexOf(at)])));
};

const winRates = (rows) => {
  const said = summed(rows);
  const [won, decided] = [0, 1].map((most) => said.reduce((sum, row) => sum + row[0] + most * row[1], 0));
  return said.map(([a, b]) => (a + b > 0 ? a / (a + b) : won / Math.max(1, decided)));
};

const share = (value) => Math.min(1, Math.max(0, value));

// Half the length of the mean move, corrected by the jackknife over seeds.
const redirected = (moved) => {
  const n = moved.length;
  const sums = moved[0].map((_, at) => fsum(moved.map((row) => row[at])));
  const whole = fsum(sums.map(Math.abs)) / n / 2;
  if (n === 1) return share(whole);
  const left = moved.map((row) => fsum(row.map((one, at) => Math.abs(sums[at] - one))) / (n - 1) / 2);
  return share(n * whole - (n - 1) * mean(left));
};

// By direction: gamma, its noise floor, the excess, and what crosses for these tasks.
export const figures = (given, table, runs) =>
  Object.fromEntries(
    given.directions.map(({ name, target }) => {
      const measured = given.control === "measured";
      const again = `${target}_to_${target}`;
      const gammas = runs.map((run) => gamma(run[name], run[target]));
      const floors = measured ? runs.map((run) => gamma(run[again], run[target])) : simulatedFloor(given, table, target, runs);
      const policy = measured ? null : trainedAgain(given, table, target);
      const moved = runs.map((run) => (policy ?? run[again]).map((weight, at) => weight - run[name][at]));
      const wins = winRates(table[target]);
      return [
        name,
        {
          gamma: mean(gammas),
          floor: mean(floors),
          excess: mean(gammas.map((each, at) => each - floors[at])),
          redirected: redirected(moved),
          regret: mean(moved.map((row) => fsum(row.map((step, at) => step * wins[at])))),
        },
      ];
    }),
  );
