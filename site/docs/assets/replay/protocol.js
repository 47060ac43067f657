// The protocol in the browser: its random stream, its wheel, its learning rules and its phases.
// Written from the protocol's page and Readings R1 to R4, R78 and R81. Only additions,
// multiplications and divisions of doubles in the order that these state, so the bits are the
// program's (decision 3); the conformance vectors and the published seeds are tests of that.

import { gamma, jsd } from "./arithmetic.js";

export const ZERO_COUPLING = 1e-12; // EPC-2.5(e), Reading R8

// ---- The stream: PCG64 seeded by SeedSequence (Reading R2) ----

const hash = (constant, multiplier) => (word) => {
  word ^= constant;
  constant = Math.imul(constant, multiplier);
  word = Math.imul(word, constant);
  return (word ^ (word >>> 16)) >>> 0;
};

const pool = (entropy) => {
  const hashed = hash(0x43b0d7e5, 0x931e8875);
  const mixed = [0, 1, 2, 3].map((at) => hashed(entropy[at] ?? 0));
  for (const source of [0, 1, 2, 3]) {
    for (const target of [0, 1, 2, 3].filter((each) => each !== source)) {
      const word = Math.imul(0xca01f9dd, mixed[target]) - Math.imul(0x4973f715, hashed(mixed[source]));
      mixed[target] = (word ^ (word >>> 16)) >>> 0;
    }
  }
  return mixed;
};

const LIMBS = 8; // of 16 bits, the lowest first
const limbs = (number) => Float64Array.from({ length: LIMBS }, (_, at) => Number((number >> BigInt(16 * at)) & 0xffffn));
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const FACTOR = limbs(MULTIPLIER);
const wide = (high, low) => (BigInt(high) << 32n) | BigInt(low);

// The first `count` uniforms in [0, 1) of the stream that whole numbers below 2^32 name.
export const uniforms = (entropy, count) => {
  const hashed = hash(0x8b51f9dd, 0x58f38ded);
  const mixed = pool(entropy);
  const words = Array.from({ length: 8 }, (_, at) => hashed(mixed[at % 4]));
  const first = (wide(words[1], words[0]) << 64n) | wide(words[3], words[2]);
  const second = (wide(words[5], words[4]) << 64n) | wide(words[7], words[6]);
  const increment = BigInt.asUintN(128, (second << 1n) | 1n);
  const added = limbs(increment);
  let state = limbs(BigInt.asUintN(128, (increment + first) * MULTIPLIER + increment));
  let next = new Float64Array(LIMBS);
  const found = new Float64Array(count);
  for (let n = 0; n < count; n += 1) {
    let carried = 0;
    for (let at = 0; at < LIMBS; at += 1) {
      let sum = carried + added[at];
      for (let from = 0; from <= at; from += 1) sum += state[from] * FACTOR[at - from];
      carried = Math.floor(sum / 65536);
      next[at] = sum - carried * 65536;
    }
    [state, next] = [next, state];
    // Both halves of the state, exclusive or, turned right by its six highest bits.
    let high = ((state[7] ^ state[3]) << 16) | (state[6] ^ state[2]);
    let low = ((state[5] ^ state[1]) << 16) | (state[4] ^ state[0]);
    const turn = state[7] >> 10;
    if (turn & 32) [high, low] = [low, high];
    const by = turn & 31;
    if (by) [high, low] = [(high >>> by) | (low << (32 - by)), (low >>> by) | (high << (32 - by))];
    found[n] = ((high >>> 0) * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  }
  return found;
};

// ---- The wheel and the learning rules (EPC-2.3; Readings R2, R3, R4 and R81) ----

export const choose = (weights, u) => {
  let running = 0;
  for (let at = 0; at < weights.length - 1; at += 1) {
    running += weights[at];
    if (running > u) return at;
  }
  return weights.length - 1; // where rounding leaves none
};

const total = (parts) => {
  let sum = 0;
  for (const part of parts) sum += part;
  return sum;
};
const shares = (parts) => {
  const whole = total(parts);
  return parts.map((part) => part / whole);
};
const uniform = (strategies) => Array(strategies).fill(1 / strategies);
const itself = (state) => state;

const reference = ({ alpha_win: win = 0.08, alpha_lose: lose = 0.04, weight_floor: floor = 0.001 }) => ({
  start: uniform,
  policy: itself,
  after: (state, chosen, won) => {
    const moved = [...state];
    moved[chosen] = Math.max(floor, moved[chosen] + (won ? win : -lose));
    return shares(moved);
  },
});

const bayes = ({ high, low }) => ({
  start: uniform,
  policy: itself,
  after: (state, chosen, won) => {
    const [best, others] = won ? [high, low] : [1 - high, 1 - low];
    return shares(state.map((believed, at) => believed * (at === chosen ? best : others)));
  },
});

const bradleyTerry = ({ step }) => ({
  start: (strategies) => Array(strategies).fill(1),
  policy: shares,
  after: (state, chosen, won) => {
    const moved = step * (state[chosen] / (state[chosen] + 1));
    return state.map((strength, at) => {
      if (at !== chosen) return strength;
      return won ? strength + moved : strength / (1 + moved);
    });
  },
});

const CELLS = 16;
const RATES = Array.from({ length: CELLS }, (_, cell) => (2 * cell + 1) / (2 * CELLS));

const thompson = ({ prior_wins: wins, prior_losses: losses }) => ({
  start: (strategies) => {
    let prior = Array(CELLS).fill(1);
    for (let n = 1; n < wins; n += 1) prior = prior.map((each, cell) => each * RATES[cell]);
    for (let n = 1; n < losses; n += 1) prior = prior.map((each, cell) => each * (1 - RATES[cell]));
    return Array(strategies).fill(shares(prior)).flat();
  },
  policy: (state) => {
    const own = Array.from({ length: state.length / CELLS }, (_, at) => state.slice(at * CELLS, (at + 1) * CELLS));
    const below = own.map((masses) => {
      let sum = 0;
      return masses.map((mass) => {
        const middle = sum + mass / 2;
        sum += mass;
        return middle;
      });
    });
    const every = RATES.map((_, cell) => below.reduce((product, middles) => product * middles[cell], 1));
    return shares(
      own.map((masses, at) =>
        total(masses.map((mass, cell) => (below[at][cell] ? (mass / below[at][cell]) * every[cell] : 0))),
      ),
    );
  },
  after: (state, chosen, won) => {
    const from = chosen * CELLS;
    const own = state.slice(from, from + CELLS).map((each, cell) => each * (won ? RATES[cell] : 1 - RATES[cell]));
    return [...state.slice(0, from), ...shares(own), ...state.slice(from + CELLS)];
  },
});

const RULES = { weights: reference, bayes, "bradley-terry": bradleyTerry, thompson };

// The rule of a manifest's or a case's `config`.
export const ruleOf = (config) => {
  const { name = "weights", ...rates } = config.rule ?? config;
  return RULES[name](rates);
};

// ---- The phases (EPC-2.1; Readings R1 and R78) ----

// Every phase that domains can have, in the order of the streams; the control's among them (R15).
export const everyPhase = (domains) => {
  const names = [...domains].sort();
  const found = [];
  const add = (name, domain, start) => found.push({ name, domain, start, stream: found.length });
  const known = [];
  for (const step of [names.slice(0, 2), ...names.slice(2).map((name) => [name])]) {
    known.push(...step);
    for (const name of step) add(name, name, null);
    for (const source of known) {
      for (const target of known) {
        const isNew = step.includes(source) || step.includes(target);
        if (source !== target && isNew) add(`${source}_to_${target}`, target, source);
      }
    }
    for (const name of step) add(`${name}_to_${name}`, name, `${name}_start`);
    for (const name of step) add(`${name}_start`, name, null);
  }
  return found;
};

// Every ordered pair of domains: what crosses from one to the other.
export const directionsOf = (domains) =>
  domains.flatMap((source) =>
    domains.filter((each) => each !== source).map((target) => ({ name: `${source}_to_${target}`, source, target })),
  );

// Train for some rounds. `turns` yields { u, strategy }: where the wheel stops, or a strategy that
// is fixed. `ask(round, strategy)` answers A, B, tie or missing; only A and B move a weight. What
// `told` gets is each round: its strategy, its verdict, and the weights before and after.
export const train = (rule, start, turns, ask, told = () => {}) => {
  let state = start;
  let weights = rule.policy(state);
  turns.forEach(({ u, strategy }, round) => {
    const chosen = strategy ?? choose(weights, u);
    const verdict = ask(round, chosen);
    const before = weights;
    if (verdict === "A" || verdict === "B") {
      state = rule.after(state, chosen, verdict === "A");
      weights = rule.policy(state);
    }
    told({ round, strategy: chosen, verdict, before, after: weights });
  });
  return { state, weights };
};

// Run the phases of a seed. `run(phase, state)` takes one of them through its rounds.
export const runPhases = (phases, startState, run) => {
  const done = {};
  const inOrder = [...phases].sort((a, b) => (a.start !== null) - (b.start !== null));
  for (const phase of inOrder) done[phase.name] = run(phase, phase.start === null ? startState : done[phase.start].state);
  return done;
};

// ---- Conformance (EPC-2.8) ----

// The answer to a case of valid shape, as `epc replay` gives it.
export const answer = (given) => {
  const domains = ["text", "visual"];
  const rule = ruleOf(given.config ?? {});
  const phases = everyPhase(domains).slice(0, 4);
  const said = [];
  const start = given.initial_weights ?? rule.start(given.strategies);
  const done = runPhases(phases, start, (phase, state) => {
    const rounds = given.phases[phase.name];
    said.push(...rounds.map(({ verdict }) => verdict));
    return train(rule, state, rounds, (round) => rounds[round].verdict);
  });
  const weights = Object.fromEntries(phases.map(({ name }) => [name, done[name].weights]));
  const by = (figure) =>
    Object.fromEntries(directionsOf(domains).map(({ name, target }) => [name, figure(weights[name], weights[target])]));
  const ties = said.filter((verdict) => verdict === "tie").length;
  return {
    weights,
    gamma: by(gamma),
    jsd: by(jsd),
    zero_coupling: by((coupled, pure) => gamma(coupled, pure) <= ZERO_COUPLING),
    tie_rate: said.length ? ties / said.length : 0,
  };
};
