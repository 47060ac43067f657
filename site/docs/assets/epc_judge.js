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

// The names of the models that grade a test: its assertions' own, else the test's, else --grader's.
function graders(test, config) {
  const stated = [config?.judge, ...(test?.assert || []).map((each) => each.provider)];
  stated.push(test?.options?.provider);
  return [...new Set(stated.map((each) => each?.text ?? each).map((each) => each?.id ?? each))]
    .filter((each) => typeof each === 'string');
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
  const names = graders(context.test, context.config);
  if (!names.length) {
    const reason = 'no grader is named, so promptfoo takes its default of the day: name one';
    return { pass: false, score: 0, reason };
  }
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
