// Every name of a judge, from one file of this site: what it means, as the program finds it, and which
// names one was probably meant to be. States are those of the reader's own day.
import { ALIKE, folded, grams, likeness } from "./likeness.js";
import { dayOf, standing } from "./turns.js";

const file = new URL("names.json", import.meta.url);
const HINTS = 3;
const TAG = /^v\d+\.\d+-/;

export { folded };
export const unique = (all) => [...new Set(all)];

// What is one in all spellings of a name (epc/records/model_names.py).
export const keyed = (name) => folded(name.trim()).replace(/[\s._@-]+/g, "-");

export const load = async () => {
  const index = await (await fetch(file)).json();
  const today = dayOf(index.as_of);
  for (const { names, platform, seen, states } of index.generations.flatMap(({ lives }) => lives)) {
    for (const state of states) state[4] = index.notes[state[4]].replace(/\{(\d)\}/g, (_, part) => [names[0], platform, state[3], seen][part]);
  }
  const [names, alike] = [new Map(), new Map()];
  const add = (map, name, lives) => map.set(name, [...(map.get(name) ?? []), ...lives]);
  for (const generation of index.generations) {
    for (const life of generation.lives) {
      for (const name of unique([generation.name, ...life.names].map(folded))) add(names, name, [{ generation, life }]);
    }
  }
  for (const generation of index.generations) {
    for (const life of generation.lives) for (const name of unique((life.more ?? []).map(folded))) add(names, name, [{ generation, life }]);
  }
  for (const [name, lives] of names) add(alike, keyed(name), lives);
  const recorded = index.generations.filter(({ listed }) => !listed);
  const served = recorded.flatMap(({ lives }) => lives.filter(({ listed }) => !listed).flatMap((life) => life.names));
  const further = index.generations.flatMap(({ name, lives, listed }) =>
    [...(listed ? [name] : []), ...lives.flatMap((life) => [...(life.listed ? life.names : []), ...(life.more ?? [])])]);
  const tags = new Map(index.snapshots.map(({ tag, platform, states }) => [tag, { platform, states }]));
  const spelt = unique([...tags.keys(), ...recorded.map(({ name, plain }) => plain ?? name), ...served, ...further.sort()]);
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "i");
  const { routes, silent, head, rules, nameless } = index.rules;
  const taken = rules.map(([pattern, platform]) => [whole(pattern), platform]);
  return {
    ...index,
    rules: { routes: new Map(Object.entries(routes)), silent, head: whole(head), taken, nameless: whole(nameless) },
    judges: new Map(Object.entries(index.judges)),
    means: new Map(Object.entries(index.means)),
    printed: new Map(recorded.map(({ name, plain }) => [name, plain ?? name])),
    today, names, alike, tags, spelt,
  };
};

// The platforms that a name says: a word within may narrow what stands before it.
const narrowed = (outer, inner) => {
  if (!outer || !inner.length) return outer ?? (inner.length ? inner : null);
  const both = outer.filter((platform) => inner.includes(platform));
  return both.length ? both : outer;
};

// What a name means, as the program finds it (epc/records/model_names.py, epc/answers/resolve.py): what stands round it is taken
// off, a part at a time, until what is left is known.
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
export const makersOf = (known) => {
  const own = unique(known.map(({ generation }) => generation)).flatMap((generation) =>
    generation.lives.filter(({ makers }) => makers).map((life) => ({ generation, life })));
  return own.length ? own : known;
};
const there = (known, { platforms, through }) => {
  const here = known.filter(({ life }) => !platforms || platforms.includes(life.platform));
  if (!through.length) return here;
  return makersOf(here.length ? here : known);
};
export const meaning = (index, text) => {
  const meant = (spelt, found) => ({ matches: [], elsewhere: [], nameless: false, text, spelt, ...found });
  let elsewhere = null;
  const all = shorter(index, text);
  for (const spelt of all) {
    if (index.rules.nameless.test(spelt.name)) return meant(spelt, { nameless: true });
    for (const known of [index.names.get(folded(spelt.name)) ?? [], index.alike.get(keyed(spelt.name)) ?? []]) {
      const matches = there(known, spelt);
      if (matches.length) return meant(spelt, { matches });
      if (known.length) elsewhere ??= meant(spelt, { elsewhere: makersOf(known) });
    }
  }
  const sources = index.means.get(folded(text)) ?? []; // as a source of verdicts spells it
  const matches = index.generations.filter(({ name }) => sources.includes(name)).flatMap(livesOf);
  return elsewhere ?? meant(all.at(-1), { matches });
};
const livesOf = (generation) => generation.lives.map((life) => ({ generation, life }));
// The models that are meant on every platform, those of which the text speaks first.
export const everywhere = ({ matches, elsewhere }) => {
  const models = unique([...matches, ...elsewhere].map(({ generation }) => generation));
  const here = new Set(matches.map(({ life }) => life));
  return [...matches, ...models.flatMap(livesOf).filter(({ life }) => !here.has(life))];
};
// The place that speaks first (epc/answers/resolve.py); none where the maker has no record.
const WEIGHTS = "open-weights";
const seenLast = (all) => all.reduce((best, each) => (!best || each.life.seen > best.life.seen ? each : best), null);
export const homeOf = ({ matches, spelt }) => {
  const hosts = matches.filter(({ life }) => life.platform !== WEIGHTS);
  const hosted = hosts.length ? hosts : matches;
  if (spelt.platforms) return seenLast(hosted);
  const first = hosted.find(({ life }) => life.home) ?? hosted.find(({ life }) => life.makers);
  const elsewhere = matches.some(({ generation }) => generation.lives.some((life) => life.makers && life.platform !== WEIGHTS));
  return first ?? (elsewhere ? seenLast(hosted) : null);
};
export const isKnown = ({ matches, elsewhere, nameless }) => matches.length > 0 || elsewhere.length > 0 || nameless;

export const stateOf = (index, states, name) => {
  const [, status, reason, until, note, source, revision, notBefore] = standing(states, index.today);
  const told = { current: " until", unconfirmed: ", until", expired: " since" };
  const coming = { retired: "will be retired", stale: "will be too old" };
  let rest = (until && told[status] ? `${told[status]} ${until}` : "") + (reason ? ` (${reason})` : "");
  if (status === "expiring") rest = `: ${coming[reason]} on ${until}`;
  if (status === "current" && notBefore && !until) rest = `, served until ${notBefore} at the least`;
  const whole = note.startsWith(" ") ? name + note : note; // an alias's note begins with its name
  return { status, reason, until, notBefore, rest, note: whole, source: source === null ? null : index.sources[source], revision };
};

// What a model is at some platforms.
export const saidAt = (index, lives, name) => lives.map(({ platform, states }) => {
  const { status, rest } = stateOf(index, states, name);
  return `at ${platform} it is ${status}${rest}`;
}).join(", ");

// What a text speaks of (epc/answers/service.py): the places' states, what is said first in front, and
// why nothing is. `first` is how many of them let a gate pass or fail.
const GRAVITY = ["expired", "expiring", "unconfirmed", "unknown", "current"];
export const service = (index, meant) => {
  const { matches, spelt: { name, platforms, through } } = meant;
  const home = homeOf(meant);
  const all = everywhere(meant);
  const isPlace = (each) => each.life.platform !== WEIGHTS || each.life === home?.life;
  const status = ({ life }) => stateOf(index, life.states, name).status;
  const spoken = matches.filter(isPlace);
  const others = spoken.filter(({ life }) => life !== home?.life);
  const rank = (each) => GRAVITY.indexOf(status(each));
  const grave = home ? others.filter((each) => each.life.makers && rank(each) < rank(home)) : [];
  const gravest = grave.reduce((worst, each) => (!worst || rank(each) < rank(worst) ? each : worst), null);
  const first = [home, gravest].filter(Boolean);
  const atMaker = all.filter((each) => isPlace(each) && each.life.makers);
  const front = (list) => [...first.filter(({ life }) => list.some((each) => each.life === life)), ...list.filter(({ life }) => !first.some((each) => each.life === life))];
  const beside = saidAt(index, front(atMaker.length ? atMaker : all.filter((each) => isPlace(each) && !spoken.includes(each))).map(({ life }) => life), name);
  const isPublic = all.some(({ life }) => life.platform === WEIGHTS) && !all.some(({ life }) => life.pinned);
  const told = (each) => {
    const state = stateOf(index, each.life.states, name);
    const isList = each.life.listed && !each.life.family && !each.life.makers;
    const maker = isList && beside ? `; ${beside}` : "";
    const gateways = through.length ? `; asked through ${through.join(" and ")}` : "";
    const weights = isPublic && each.life === home?.life && each.life.platform !== WEIGHTS ? "; its weights are public" : "";
    return { ...each, state: { ...state, note: `${state.note}${maker}${gateways}${weights}` } };
  };
  let why = "";
  if (meant.nameless) why = "it holds no model's name: ask the platform which model it stands for";
  else if (!home && matches.length) {
    const makers = unique(all.map(({ generation }) => generation.maker)).join(" and ");
    const hosts = unique(matches.map(({ life }) => life.platform).filter((platform) => platform !== WEIGHTS).map((platform) => `${platform}/${name}`));
    why = `${makers}, its maker, has no record of it here; only ${hosts.join(" and ")}${isPublic ? "; its weights are public" : ""}`;
  } else if (!home && all.length) why = `through ${platforms.join(" or ")}, of which no day of ${name} is known${beside ? `; ${beside}` : ""}`;
  else if (!home) why = "not in this registry";
  const models = unique(all.map(({ generation }) => generation));
  const known = [...models.flatMap((generation) => [generation.name, ...generation.lives.flatMap((life) => life.names)]), shorter(index, meant.text).at(-1).name].map(keyed);
  const hints = home || meant.nameless || (all.length && !matches.length) ? [] : near(index, meant.text).filter((hint) => !known.includes(keyed(hint)));
  const hint = hints.length ? `; did you mean ${hints.join(" or ")}?` : "";
  return { home, why: why && `${why}${hint}`, hints, first: first.length, places: front(spoken).map(told) };
};

// The judge to turn to in place of what a text speaks of, and why (epc/answers/replacement.py): whom the
// first platform names that names any, or who replaces what speaks first. None where nobody states an end.
export const replaced = (index, { home, first, places }) => {
  const deciding = first ? places.slice(0, first) : places;
  if (!deciding.some(({ state }) => state.until)) return null;
  const rows = deciding.map(({ life }) => standing(index.replacements[life.instead], index.today));
  const naming = rows.find(([, , how, names]) => names || how === "named");
  const [, judge, how] = naming?.[2] === "named" ? naming : rows[0];
  if (judge === null || (!home && how === "chosen")) return null;
  const [name, why] = index.replacing[judge];
  const page = everywhere(meaning(index, name)).find(({ generation }) => !generation.listed)?.generation.name;
  const place = page ? `evaluators/${encodeURIComponent(page)}/` : `check/?judge=${encodeURIComponent(name)}`;
  return { name, why, place };
};

// The names that one was probably meant to be: that it begins, then those alike.
export const near = (index, name) => {
  const last = shorter(index, name).at(-1).name;
  const own = grams(last);
  const listed = TAG.test(last) ? index.spelt : index.spelt.filter((each) => !TAG.test(each)); // a snapshot is no name of a model
  const begun = listed.filter((each) => last && keyed(each).startsWith(keyed(last)));
  const alike = listed
    .map((each) => [likeness(own, each), each])
    .filter(([share]) => share >= ALIKE)
    .sort(([one], [other]) => other - one);
  const enough = unique(begun.map(keyed)).length >= HINTS;
  const hints = new Map();
  for (const each of [...begun, ...(enough ? [] : alike.map(([, name]) => name))]) if (!hints.has(keyed(each))) hints.set(keyed(each), each);
  return [...hints.values()].slice(0, HINTS);
};

// Whether a platform serves a model, in a word or two, as the pages say it (epc/site/templating.py).
const SERVED = { current: "served", expired: "ended", unconfirmed: "not confirmed", unknown: "unknown" };
const briefly = (index, { platform, states }, name) => {
  const { status, until } = stateOf(index, states, name);
  const left = Math.round((Date.parse(until) - Date.parse(index.today)) / 86400000);
  const word = platform === "open-weights" ? "open weights" : SERVED[status];
  return { status, word: status === "expiring" ? `${left} ${left === 1 ? "day" : "days"}` : word };
};

export const insteadOf = (index, name) => replaced(index, service(index, meaning(index, name)))?.name;

// The judges that a beginning, some parts or a misspelling of a name may mean, the best first. `sure`
// is whether it is the name itself but for blanks, dots and dashes; `begun` how much of it was typed.
export const suggested = (index, text, most) => {
  const { name: typed, platforms } = shorter(index, text).at(-1);
  const words = keyed(typed).split(/[-/]/).filter(Boolean);
  const plain = words.join("");
  if (!plain) return [];
  const own = grams(plain);
  const rank = (name) => {
    const key = keyed(name);
    const other = key.replaceAll(/[-/]/g, "");
    if (other === plain) return 0;
    if (other.startsWith(plain)) return 1;
    if (words.every((word) => key.includes(word))) return 2;
    return 4 - likeness(own, name);
  };
  const found = index.generations.map((generation) => {
    const spelt = unique([...generation.lives.flatMap((life) => life.names), generation.name]);
    const [best, name] = spelt.map((each) => [rank(each), each]).sort(([one], [other]) => one - other)[0];
    const matches = livesOf(generation).filter(({ life }) => !platforms || platforms.includes(life.platform));
    const { life } = homeOf({ matches, spelt: { platforms } }) ?? matches.find(({ life: { platform } }) => platform === WEIGHTS) ?? {};
    return { best, name, generation, life };
  });
  const ended = ({ life, name }) => !life || stateOf(index, life.states, name).status === "expired";
  const order = (one, other) => one.best - other.best || Boolean(one.generation.listed) - Boolean(other.generation.listed)
    || ended(one) - ended(other) || one.name.length - other.name.length || (one.name < other.name ? -1 : 1);
  const listed = new Set();
  const once = ({ name }) => !listed.has(name) && listed.add(name);
  return found.filter(({ best }) => best <= 4 - ALIKE).sort(order).filter(once).slice(0, most).map(({ best, name, generation, life }) => {
    let begun = 0;
    for (let left = best < 2 ? plain.length : 0; left > 0; begun += 1) left -= /[\s._@/-]/.test(name[begun]) ? 0 : 1;
    const state = life ? briefly(index, life, name) : { status: "unknown", word: "unknown" };
    const place = generation.listed ? `check/?judge=${encodeURIComponent(name)}` : `evaluators/${encodeURIComponent(generation.name)}/`;
    const spelt = platforms && life ? `${life.platform}/${name}` : name;
    return { name, begun, place, sure: best === 0, ...state, instead: insteadOf(index, spelt) };
  });
};
