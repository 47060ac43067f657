// Every name of a judge, from two files of this site, with the answers that the program wrote
// (epc/site/names.py): what stands round a name is taken off, it is looked up, and the last answer that has
// begun is filled with what was typed. Nothing is decided here.
import { ALIKE, folded, grams, letters, likeness } from "./likeness.js";
import { counted, dayOf, daysTo, standing } from "./turns.js";

const HINTS = 3;
const TAG = /^v\d+\.\d+-/;
const HINT = "{9}";
const NOTHING = [[], [[""]]]; // the answer about what nobody knows

export { folded };
export const unique = (all) => [...new Set(all)];

// What is one in all spellings of a name (epc/records/model_names.py).
export const keyed = (name) => folded(name.trim()).replace(/[\s._@-]+/g, "-");

const fill = (text, values) => text.replace(/\{(\d)\}/g, (hole, at) => values[at] ?? hole);
export const begun = (words) => words.charAt(0).toUpperCase() + words.slice(1);

const read = async (name) => (await fetch(new URL(`${name}.json`, import.meta.url))).json();

// All names; `isWhole` is whether their places are wanted too.
export const load = async (isWhole = true) => {
  const [index, there] = await Promise.all([read("names"), isWhole ? read("places") : {}]);
  const [names, alike] = [new Map(), new Map()];
  const spelt = { names: [], listed: [], others: [] };
  for (const [at, model] of index.models.entries()) {
    model.places = model.served.map((name, place) => [name, ...(there.places?.[at][place] ?? [])]);
    model.plain ??= model.served[0];
    if (model.page === 1) model.page = model.plain;
    for (const entry of model.entries) {
      entry.models = (entry.models ?? [at]).map((each) => index.models[each]);
      for (const [kind, all] of Object.entries(spelt)) {
        for (const name of (entry[kind] ?? []).map((each) => (typeof each === "number" ? model.served[each] : each))) {
          all.push(name);
          names.set(folded(name), entry);
          alike.set(keyed(name), entry);
        }
      }
    }
  }
  for (const entry of index.models.flatMap(({ entries }) => entries)) for (const key of entry.keys ?? []) alike.set(key, entry);
  for (const entry of Object.values(index.texts)) entry.models = entry.models.map((each) => index.models[each]);
  const shortest = (one, other) => one.length - other.length || (one < other ? -1 : 1);
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "i");
  const { routes, silent, head, rules, nameless } = index.rules;
  const taken = rules.map(([pattern, platform]) => [whole(pattern), platform]);
  return {
    ...index, ...there,
    rules: { routes: new Map(Object.entries(routes)), silent, head: whole(head), taken, nameless: whole(nameless) },
    tags: new Map(index.tags.map((tag) => [tag, there.snapshots?.[tag]])),
    texts: new Map(Object.entries(index.texts)),
    recorded: new Set(spelt.names),
    spelt: [...spelt.names.sort(shortest), ...spelt.listed.sort(shortest)],
    today: dayOf(index.as_of),
    names, alike,
  };
};

// The platforms that a name says: a word within may narrow what stands before it.
const narrowed = (outer, inner) => {
  if (!outer || !inner.length) return outer ?? (inner.length ? inner : null);
  const both = outer.filter((platform) => inner.includes(platform));
  return both.length ? both : outer;
};

// What stands round a name is taken off, a part at a time (epc/records/model_names.py).
const without = ({ rules }, spelt) => {
  let [, said = "", rest] = rules.head.exec(spelt.name) ?? [];
  const [, further, behind] = rules.head.exec(rest ?? "") ?? [];
  if (further && rules.routes.has(folded(`${said}/${further}`))) [said, rest] = [`${said}/${further}`, behind];
  const word = folded(said);
  if (rules.silent.includes(word)) return { ...spelt, name: rest };
  if (rules.routes.has(word)) {
    const platforms = rules.routes.get(word);
    if (platforms.length) return { ...spelt, name: rest, platforms: narrowed(spelt.platforms, platforms) };
    return { ...spelt, name: rest, through: [...spelt.through, said] };
  }
  for (const [pattern, platform] of rules.taken) {
    const match = pattern.exec(spelt.name);
    if (match) return { ...spelt, name: match.slice(1).join("."), platforms: narrowed(spelt.platforms, platform ? [platform] : []) };
  }
  return null;
};
export const shorter = (index, text) => {
  const all = [];
  const first = { name: text.trim().split(/\s+/).join(" "), platforms: null, through: [] };
  for (let spelt = first; spelt; spelt = without(index, spelt)) all.push(spelt);
  return all;
};

// The answer of an entry to what a text says: on its platforms, through its gateways.
const wayOf = ({ ways }, { platforms, through }) => {
  const said = platforms?.join("+") ?? "";
  if (!through.length) return ways[said];
  return [`${said}>`, ...(said ? ["*>", ">"] : []), ""].map((way) => ways[way]).find((way) => way !== undefined);
};

// What a text means: the entry of a name, and its answer; none of either where nobody knows it.
export const meaning = (index, text) => {
  const all = shorter(index, text);
  let elsewhere = null;
  for (const spelt of all) {
    if (index.rules.nameless.test(spelt.name)) return { text, spelt, nameless: true };
    const entry = index.names.get(folded(spelt.name)) ?? index.alike.get(keyed(spelt.name));
    const way = entry && wayOf(entry, spelt);
    if (way !== undefined) return { text, spelt, entry, way };
    if (entry) elsewhere ??= { text, spelt, entry, way: entry.ways["*"] };
  }
  const entry = index.texts.get(folded(text)); // as a source of verdicts spells it
  return elsewhere ?? { text, spelt: all.at(-1), entry, way: entry?.ways[""] };
};

const stateOf = (index, [, kind = 0, note = 0, source = 0, revision = 0, until = null, notBefore = null], values, further = "") => {
  const [status, rest, word, clause, event, last] = index.kinds[kind];
  const given = { ...values, 6: until, 8: notBefore };
  const say = (text) => fill(text, given);
  const left = word || counted(daysTo(until, index.today));
  return {
    status, rest: say(rest), note: say(index.sentences[note] + further), source: index.sources[source], revision,
    until, notBefore, word: left, clause: fill(clause, { 6: until, 8: notBefore }), event: say(event), last,
  };
};

// The places that an answer has by number, today.
const placesOf = (index, { entry, spelt }) => {
  const all = (entry?.models ?? []).flatMap((model) => model.places.map((place) => ({ model, place })));
  const { asked, and, or } = index.words;
  const typed = { 0: spelt.name, 1: spelt.platforms?.join(or), 2: spelt.through.length ? fill(asked, { 0: spelt.through.join(and) }) : "" };
  const placeAt = (at, beside = "", further = "") => {
    const { model, place: [name, platform, seen, sure, states] } = all[at];
    const given = { ...typed, 3: beside, 4: name, 5: platform, 7: seen };
    return { model, platform, sure: fill(index.sentences[sure], given), ...stateOf(index, standing(states, index.today), given, further) };
  };
  return { typed, placeAt };
};
const rowsOf = (index, way) => index.answers[[way].flat()[0]] ?? NOTHING;

// What is said of a text today: the first of its places let a gate pass or fail.
export const answer = (index, text) => {
  const meant = meaning(index, text);
  const { spelt, entry, way, nameless } = meant;
  const { words, sentences, today } = index;
  const [card, rows] = rowsOf(index, way);
  const [, first = 0, judge = null, lines = [], further = [], why = 0, beside = []] = standing(rows, today);
  const { typed, placeAt } = placesOf(index, meant);
  const others = beside.map((at) => placeAt(at)).map(({ platform, status, rest }) => fill(words.beside, { 0: status + rest, 5: platform }));
  const besides = others.length ? `; ${others.join(", ")}` : "";
  const cards = card.map((at) => placeAt(at));
  const models = unique(cards.map(({ model }) => model));
  const unknown = nameless ? words.nameless : words.missing;
  const reason = way === undefined ? unknown : sentences[why];
  const last = keyed(shorter(index, text).at(-1).name);
  const isOther = (hint) => keyed(hint) !== last && !index.names.get(folded(hint))?.models.some((model) => models.includes(model));
  const hints = reason.includes(HINT) ? near(index, text).filter(isOther) : [];
  const hint = hints.length ? fill(words.hint, { 0: hints.join(words.or) }) : "";
  const own = [models.length === 1 ? models[0].plain : null, models.length === 1 ? models[0].group ?? 0 : 0, models.flatMap(({ page }) => page ?? [])];
  const [who, group, pages] = index.subjects[way?.[1]] ?? own;
  return {
    places: lines.map((at, line) => placeAt(at, besides, further.length ? sentences[further[line]] : "{2}")),
    why: fill(reason, { ...typed, 3: besides, 9: hint }), first, hints, models, pages, who, card: cards,
    said: standing(index.judged[group], today)[1], judge: index.judges[judge], isKnown: entry !== undefined,
  };
};
export const ofSnapshot = (index, tag) => {
  const [platform, states] = index.tags.get(tag);
  return { platform, ...stateOf(index, standing(states, index.today), {}) };
};
// Whether a text names a model, or stands for one without naming it.
export const isKnown = (index, { nameless, way }) => nameless || rowsOf(index, way)[0].length > 0;
export const addressOf = (page, name) => (page ? `evaluators/${encodeURIComponent(page)}/` : `check/?judge=${encodeURIComponent(name)}`);

// Names that may be meant, the likeliest first (epc/registry/names.py): 0 is the name itself, 1 what begins
// so, up to 3 what has all its words, and further ones are alike.
const shapes = new Map();
const shapeOf = (name) => shapes.get(name) ?? shapes.set(name, { key: keyed(name), plain: letters(name), own: grams(name) }).get(name);
const ranked = (names, typed) => {
  const { key, plain, own } = shapeOf(typed);
  const words = key.split(/[-/]/).filter(Boolean);
  const rank = (name) => {
    const other = shapeOf(name);
    if (other.plain === plain) return other.key === key ? 0 : 0.5;
    if (other.plain.startsWith(plain)) return 1;
    return (words.every((word) => other.key.includes(word)) ? 3 : 4) - likeness(own, other.own);
  };
  const all = plain ? names.map((name) => ({ rank: rank(name), name })) : [];
  return all.filter((each) => each.rank <= 4 - ALIKE).sort((one, other) => one.rank - other.rank);
};
export const near = (index, text) => {
  const typed = shorter(index, text).at(-1).name;
  const names = ranked(TAG.test(typed) ? [...index.tags.keys()] : index.spelt, typed); // a snapshot is no name of a model
  const hints = new Map();
  for (const { name } of names) if (!hints.has(letters(name))) hints.set(letters(name), name);
  return [...hints.values()].slice(0, HINTS);
};

// The judges that a text may mean while it is typed, each once, those that ended behind their like. `sure` is
// whether it is the name itself; `begun` how much of it was typed.
export const suggested = (index, text, most) => {
  const spelt = shorter(index, text).at(-1);
  const plain = letters(spelt.name);
  const best = new Map();
  for (const { rank, name } of ranked(index.spelt, spelt.name)) {
    const entry = index.names.get(folded(name));
    const [model] = entry.models;
    if (!best.has(model)) best.set(model, { rank, name, entry, model });
  }
  const unknown = { status: index.words.unknown, word: index.words.unknown, last: 1 };
  const found = [...best.values()].map(({ rank, name, entry, model }) => {
    const [, rows, weights] = rowsOf(index, wayOf(entry, spelt));
    const [, gate = 0, judge = null, [line] = []] = standing(rows, index.today);
    const at = index.places && (gate ? line : weights);
    const { status, word, last } = at === undefined ? unknown : placesOf(index, { entry, spelt }).placeAt(at);
    const shown = model.page && !index.recorded.has(name) ? model.plain : name; // a list may spell a model in any way
    let begun = 0;
    for (let left = letters(shown).startsWith(plain) ? plain.length : 0; left > 0; begun += 1) left -= letters(shown[begun]).length;
    const place = addressOf(model.page, name);
    return { name: shown, place, begun, sure: rank < 1, rank, status, word, last, instead: index.judges[judge]?.[0] };
  });
  const tier = ({ rank }) => (rank >= 1 && rank < 3 ? Math.floor(rank) : rank);
  return found.sort((one, other) => tier(one) - tier(other) || one.last - other.last || one.rank - other.rank).slice(0, most);
};
