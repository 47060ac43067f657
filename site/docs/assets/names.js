// Every name of a judge, from one file of this site: what it means, as the program finds it, and which
// names one was probably meant to be. States are those of the reader's own day.
const file = new URL("names.json", import.meta.url);
const HINTS = 3;
export const ALIKE = 0.6; // of the letters and pairs of letters of both, how many they have in common

export const folded = (text) => text.toLowerCase();
export const unique = (all) => [...new Set(all)];

// What is one in all spellings of a name (epc/records/model_names.py).
export const keyed = (name) => folded(name.trim()).replace(/[\s._@-]+/g, "-");
export const grams = (name) => {
  const plain = [...folded(name).replace(/[^\p{L}\p{N}]/gu, "")];
  return new Set([...plain, ...plain.slice(1).map((char, at) => plain[at] + char)]);
};

export const load = async () => {
  const index = await (await fetch(file)).json();
  const clock = new Date().toISOString().slice(0, 10);
  const today = clock > index.as_of ? clock : index.as_of; // as in expiry.js
  const [names, alike] = [new Map(), new Map()];
  const add = (map, name, lives) => map.set(name, [...(map.get(name) ?? []), ...lives]);
  for (const generation of index.generations) {
    for (const life of generation.lives) {
      for (const name of unique([generation.name, ...life.names, ...(life.more ?? [])].map(folded))) add(names, name, [{ generation, life }]);
    }
  }
  for (const [name, lives] of names) add(alike, keyed(name), lives);
  const recorded = index.generations.filter(({ listed }) => !listed);
  const served = recorded.flatMap(({ lives }) => lives.filter(({ listed }) => !listed).flatMap((life) => life.names));
  const further = index.generations.flatMap(({ name, lives, listed }) =>
    lives.flatMap((life) => (life.listed || listed ? [name, ...life.names] : life.more ?? [])));
  const tags = new Map(index.snapshots.map(({ tag, platform, states }) => [tag, { platform, states }]));
  const spelt = unique([...tags.keys(), ...recorded.map(({ name }) => name), ...served, ...further.sort()]);
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`, "i");
  const { routes, silent, head, rules, nameless } = index.rules;
  const taken = rules.map(([pattern, platform]) => [whole(pattern), platform]);
  return {
    ...index,
    rules: { routes: new Map(Object.entries(routes)), silent, head: whole(head), taken, nameless: whole(nameless) },
    judges: new Map(Object.entries(index.judges)),
    means: new Map(Object.entries(index.means)),
    today, names, alike, tags, spelt,
  };
};

// What a name means, as the program finds it (epc/records/model_names.py, epc/registry/named.py): what stands round it is taken
// off, a part at a time, until what is left is known.
const without = ({ rules }, spelt) => {
  const [, said, rest] = rules.head.exec(spelt.name) ?? [];
  const word = folded(said ?? "");
  if (rules.silent.includes(word)) return { ...spelt, name: rest };
  if (rules.routes.has(word)) {
    const platforms = rules.routes.get(word);
    if (platforms.length) return { ...spelt, name: rest, platforms, said: true };
    return { ...spelt, name: rest, through: [...spelt.through, said] };
  }
  for (const [pattern, platform] of rules.taken) {
    const match = pattern.exec(spelt.name);
    if (match) return { ...spelt, name: match.slice(1).join("."), platforms: platform ? [platform] : spelt.platforms };
  }
  return null;
};
export const shorter = (index, text) => {
  const all = [];
  const first = { name: text.trim().split(/\s+/).join(" "), platforms: null, said: false, through: [] };
  for (let spelt = first; spelt; spelt = without(index, spelt)) all.push(spelt);
  return all;
};
export const makersOf = (known) => {
  const own = unique(known.map(({ generation }) => generation)).flatMap((generation) =>
    generation.lives.filter(({ makers }) => makers).map((life) => ({ generation, life })));
  return own.length ? own : known;
};
const there = (known, { platforms, through }) => {
  const all = known.filter(({ life }) => !platforms || platforms.includes(life.platform));
  const recorded = platforms ? [] : all.filter(({ life }) => !life.listed); // as named.py has it
  const here = recorded.length ? recorded : all;
  if (!through.length) return here;
  return makersOf(here.length ? here : known);
};
export const meaning = (index, text) => {
  const meant = (spelt, found) => ({ matches: [], elsewhere: [], nameless: false, says: spelt.said && !spelt.through.length, spelt, ...found });
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
  return elsewhere ?? meant(all[0], {});
};
export const isKnown = ({ matches, elsewhere, nameless }) => matches.length > 0 || elsewhere.length > 0 || nameless;

// The answer that stands on a day: the last one that has begun.
export const standing = (days, today) => days.findLast(([from]) => from <= today) ?? days[0];

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

// A life's state under a name, with what the maker says of one that a list alone has on a platform,
// and with the gateways through which the model is asked.
export const stateUnder = (index, { generation, life }, { name, through }) => {
  const state = stateOf(index, life.states, name);
  const makers = life.makers || !(life.listed || generation.listed) ? [] : generation.lives.filter((own) => own.makers);
  const beside = makers.length ? `; ${saidAt(index, makers, name)}` : "";
  const gateways = through.length ? `; asked through ${through.join(" and ")}` : "";
  return { ...state, note: `${state.note}${beside}${gateways}` };
};

export const likeness = (own, name) => {
  const other = grams(name);
  return (2 * [...own].filter((gram) => other.has(gram)).length) / (own.size + other.size);
};

// The names that one was probably meant to be: that it begins, then those alike.
export const near = (index, name) => {
  const last = shorter(index, name).at(-1).name;
  const own = grams(last);
  const begun = index.spelt.filter((each) => last && folded(each).startsWith(folded(last)));
  const alike = index.spelt
    .map((each) => [likeness(own, each), each])
    .filter(([share]) => share >= ALIKE)
    .sort(([one], [other]) => other - one);
  return unique([...begun, ...alike.map(([, each]) => each)]).slice(0, HINTS);
};

// Whether a platform serves a model, in a word or two, as the pages say it (epc/site/templating.py).
const SERVED = { current: "served", expired: "ended", unconfirmed: "not confirmed", unknown: "unknown" };
const briefly = (index, { platform, states }, name) => {
  const { status, until } = stateOf(index, states, name);
  const left = Math.round((Date.parse(until) - Date.parse(index.today)) / 86400000);
  const word = platform === "open-weights" ? "open weights" : SERVED[status];
  return { status, word: status === "expiring" ? `${left} ${left === 1 ? "day" : "days"}` : word };
};

// The judges that a beginning, some parts or a misspelling of a name may mean, the best first. `sure`
// is whether it is the name itself but for blanks, dots and dashes; `begun` how much of it was typed.
export const suggested = (index, text, most) => {
  const words = keyed(shorter(index, text).at(-1).name).split(/[-/]/).filter(Boolean);
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
    const life = generation.lives.find(({ makers }) => makers) ?? generation.lives[0];
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
    return { name, begun, place, sure: best === 0, ...state };
  });
};
