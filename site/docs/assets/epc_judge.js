// For promptfoo: is the grader still served, and what did it say? Copy this file beside your
// configuration. It runs the command `epc` (pip install 'epc-registry[measure]'); the variable EPC
// names another way to start it, such as "uvx --from epc-registry epc". Nothing is sent anywhere.
//
//   defaultTest: {assert: [{type: javascript, value: file://epc_judge.js}]}
//   extensions: [file://epc_judge.js:afterAll]
const { spawnSync } = require('node:child_process');
const { mkdtempSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const answers = new Map();

function epc(...words) {
  const [command, ...begin] = (process.env.EPC || 'epc').split(' ');
  const done = spawnSync(command, [...begin, ...words], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (done.error) throw new Error(`cannot start ${command}: ${done.error.message}`);
  return done;
}

// Assertions that ask no model for a grade. Any other does, also one that promptfoo gets later.
const UNGRADED = new RegExp(
  '^(not-)?(bleu|classifier|i?contains(-.*)?|cost|equals|finish-reason|gleu|guardrails|human|is-.*|javascript|latency|' +
    'levenshtein|max-score|meteor|moderation|perplexity(-score)?|pi|python|regex|rouge-n|ruby|similar(:.*)?|' +
    'skill-used|starts-with|tool-call-f1|trace-.*|trajectory:(?!goal-success).*|webhook|word-count)$',
);

// A provider is a name, an object with an id, one that promptfoo has loaded, or a map with one for texts.
function nameOf(provider) {
  const ofTexts = provider?.text ?? provider;
  const id = ofTexts?.id ?? ofTexts;
  return typeof id === 'function' ? id.call(ofTexts) : id;
}

function flat(assertions) {
  return (assertions || []).flatMap((one) => (one.type === 'assert-set' ? flat(one.assert) : [one]));
}

// The model that grades each assertion of a test, by its type: its own, else the test's, which is that
// of `defaultTest` or --grader where the test has none, else `config.judge`.
function graders(test, config) {
  const graded = flat(test?.assert).filter((one) => !UNGRADED.test(one.type));
  return graded.map((one) => [one.type, nameOf(one.provider ?? test?.options?.provider ?? config?.judge)]);
}

function state(name) {
  if (!answers.has(name)) {
    const done = epc('expiry', '--format', 'json', name);
    if (!done.stdout) throw new Error(done.stderr);
    answers.set(name, JSON.parse(done.stdout));
  }
  return answers.get(name);
}

// The assertion: fails if a grader has expired, or is unknown to the registry.
module.exports = (_output, context) => {
  const graded = graders(context.test, context.config);
  if (!graded.length) return { pass: true, score: 1, reason: 'no model grades this test' };
  const [unnamed] = graded.filter(([, name]) => typeof name !== 'string');
  if (unnamed) {
    const reason = `no grader is named for ${unnamed[0]}, so promptfoo takes its default of the day: name one`;
    return { pass: false, score: 0, reason };
  }
  const names = [...new Set(graded.map(([, name]) => name))];
  const states = names.flatMap(state);
  const bad = states.filter((each) => ['expired', 'unknown'].includes(each.status));
  const reason = (bad.length ? bad : states)
    .map((each) => `judge ${each.id}: ${each.status}; ${each.note}`)
    .join('. ');
  return { pass: !bad.length, score: bad.length ? 0 : 1, reason };
};

// The hook: writes what the graders said as a verdict file to the folder EPC_VERDICTS.
module.exports.afterAll = (context) => {
  const folder = process.env.EPC_VERDICTS || 'verdicts';
  const out = join(folder, `${String(context.evalId).replace(/[^\w.-]/g, '_')}.jsonl`);
  const temporary = mkdtempSync(join(tmpdir(), 'epc-'));
  try {
    const file = join(temporary, 'results.json');
    const { results, config, evalId } = context;
    const summary = { version: 3, timestamp: new Date().toISOString(), results };
    writeFileSync(file, JSON.stringify({ evalId, config, results: summary }));
    mkdirSync(folder, { recursive: true });
    const done = epc('observe', 'import', file, '--shape', 'promptfoo', '--out', out);
    process.stderr.write(done.status ? `epc: no verdict file: ${done.stdout}${done.stderr}` : done.stderr);
  } finally {
    rmSync(temporary, { recursive: true });
  }
};
