// "The model you use as a judge": the answers of `epc expiry` and of `epc evaluators card`, from one
// file of this site and on the reader's own day. What is typed stays here, and is only ever text.
import { calendar, feeds, gate } from "./follow.js";

{
  const place = document.getElementById("judge");
  const home = new URL("../", import.meta.url);
  const file = new URL("names.json", import.meta.url);
  const MOST = 50; // answers at once
  const HINTS = 3;
  const SENTENCE = 3; // words of letters alone that nobody knows
  const LONG = 200; // from this length on the program compares names in another way
  const WRAPPERS = ["balanced:", "calibrated:", "panel:", "band="];

  const make = (name, given = {}, ...content) => {
    const made = Object.assign(document.createElement(name), given);
    made.append(...content);
    return made;
  };
  const marked = (made, name) => {
    made.dataset.epc = name;
    return made;
  };
  const folded = (text) => text.toLowerCase();
  const unique = (all) => [...new Set(all)];

  const load = async () => {
    const index = await (await fetch(file)).json();
    const clock = new Date().toISOString().slice(0, 10);
    const today = clock > index.as_of ? clock : index.as_of; // as in expiry.js
    const names = new Map();
    for (const generation of index.generations) {
      for (const life of generation.lives) {
        const own = unique([generation.name, ...life.names].map(folded));
        const there = index.prefixes[life.platform].flatMap((place) => own.map((name) => `${place}/${name}`));
        for (const name of unique([...own, ...there])) {
          if (!names.has(name)) names.set(name, []);
          names.get(name).push({ generation, life });
        }
      }
    }
    const served = index.generations.flatMap(({ lives }) => lives.flatMap((life) => life.names));
    const tags = new Map(index.snapshots.map(({ tag, platform, states }) => [tag, { platform, states }]));
    const spelt = unique([...tags.keys(), ...index.generations.map(({ name }) => name), ...served]);
    return { ...index, judges: new Map(Object.entries(index.judges)), means: new Map(Object.entries(index.means)), today, names, tags, spelt };
  };

  // The answer that stands on a day: the last one that has begun.
  const standing = (days, today) => days.findLast(([from]) => from <= today) ?? days[0];

  const stateOf = (index, states, name) => {
    const [, status, reason, until, note, source, revision] = standing(states, index.today);
    const told = { current: " until", unconfirmed: ", until", expiring: " until", expired: " since", unknown: "" };
    const day = until && told[status] ? `${told[status]} ${until}` : "";
    const why = reason ? ` (${reason})` : "";
    const whole = note.startsWith(" ") ? name + note : note; // an alias's note begins with its name
    return { status, reason, until, rest: day + why, note: whole, source: source === null ? null : index.sources[source], revision };
  };

  // How alike two names are, and which are near: Python's difflib, which the program asks.
  const matches = (a, b) => {
    let [best, endA, endB] = [0, 0, 0];
    let before = [];
    for (let i = 0; i < a.length; i += 1) {
      const now = [];
      for (let j = 0; j < b.length; j += 1) {
        if (a[i] !== b[j]) continue;
        now[j] = (before[j - 1] ?? 0) + 1;
        if (now[j] > best) [best, endA, endB] = [now[j], i + 1, j + 1];
      }
      before = now;
    }
    if (!best) return 0;
    return best + matches(a.slice(0, endA - best), b.slice(0, endB - best)) + matches(a.slice(endA), b.slice(endB));
  };
  const near = ({ gateways, names, spelt }, name) => {
    const forwarded = name.slice(name.indexOf("/") + 1);
    if (gateways.some((gateway) => name.startsWith(`${gateway}/`)) && names.has(folded(forwarded))) return [forwarded];
    if (!name || name.length >= LONG) return [];
    const alike = spelt
      .map((each) => [(2 * matches([...each], [...name])) / ([...each].length + [...name].length), each])
      .filter(([ratio]) => ratio >= 0.6)
      .sort(([one, a], [other, b]) => other - one || (a < b ? 1 : -1))
      .slice(0, HINTS);
    const begun = spelt.filter((each) => each.startsWith(name));
    return unique([...begun, ...alike.map(([, each]) => each)]).slice(0, HINTS);
  };

  const listed = (all) => (all.length === 1 ? all[0] : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`);

  const saysPlatform = (index, name, { platform }) => index.prefixes[platform].some((place) => folded(name).startsWith(`${place}/`));

  // A card is of a model on every platform, unless its name says on which.
  const everywhere = (index, name, found) => {
    if (found.some(({ life }) => saysPlatform(index, name, life))) return found;
    const own = found.map(({ generation }) => generation.name);
    const meant = unique(own.length ? own : index.means.get(folded(name)) ?? []);
    const known = meant.flatMap((each) => index.generations.filter((generation) => generation.name === each));
    return known.flatMap((generation) => generation.lives.map((life) => ({ generation, life })));
  };

  // The first sentence of a model's card; none for a name that nobody knows.
  const card = (index, name, found) => {
    found = everywhere(index, name, found);
    const group = index.judged[index.judges.get(folded(name)) ?? 0];
    if (!found.length && !group.generations.length) return "";
    const known = unique([...found.map(({ generation }) => generation.name), ...group.generations]);
    const lives = found.map(({ life }) => ({ ...life, ...stateOf(index, life.states, name) }));
    const places = new Map();
    for (const { pinned, status, reason, until, platform } of lives) {
      let told = until ? [`served until ${until} at `, ""] : ["served at ", " with no end stated"];
      if (status === "unknown" || status === "unconfirmed") told = [`of ${status} state at `, ""];
      if (status === "expired") told = [`${reason} on ${until} at `, ""];
      if (pinned) told = ["served at ", " with weights that nobody can change or retire"];
      const key = JSON.stringify(told);
      places.set(key, [...(places.get(key) ?? []), platform]);
    }
    const served = [...places].map(([key, all]) => JSON.parse(key).join(listed(all))).join(", ");
    const [, said, evidence] = standing(group.said, index.today);
    const gone = lives.length > 0 && lives.every(({ status }) => status === "expired");
    const who = known.length === 1 ? known[0] : name;
    return `${who}: ${served || "no platform's dates are known"}; ${evidence && gone ? "when it lived " : ""}${said}.`;
  };

  const sure = ({ confidence, sources, seen }) => {
    const many = sources > 1 ? `, ${sources} sources agree` : sources ? ", one source" : "";
    return `How sure: confidence ${confidence}${many}, ${seen ? `last confirmed on ${seen}` : "no day of confirmation is recorded"}.`;
  };

  const line = (platform, { status, rest, note, source }, how) => {
    const said = make("p", { className: "epc-judge-state" });
    if (platform) said.append(marked(make("span", {}, platform), "platform"), ": ");
    said.append(
      marked(make("span", {}, make("span", { className: `epc-status epc-${status}` }, status), rest), "words"),
      ". ",
      marked(make("span", {}, note), "note"),
      ".",
    );
    if (how) said.append(" ", make("span", { className: "epc-judge-sure" }, sure(how)));
    if (source) {
      const told = /^https?:\/\//.test(source) ? make("a", { href: source, rel: "noopener" }, source) : make("span", {}, source);
      said.append(" Source: ", marked(told, "source"));
    }
    return said;
  };

  const link = (href, text) => make("a", { href }, text);

  const answer = (index, name) => {
    const item = make("li", {}, make("h3", {}, name));
    item.dataset.name = name;
    if (index.tags.has(name)) {
      item.append(line("", stateOf(index, index.tags.get(name).states, name)));
      item.append(make("p", {}, link(`snapshots/${name}/`, `The snapshot ${name}`)));
      return item;
    }
    const found = index.names.get(folded(name)) ?? [];
    const unknown = (note) => line("", { status: "unknown", rest: "", note, source: null });
    const summary = card(index, name, found);
    if (!found.length && WRAPPERS.some((each) => name.startsWith(each))) {
      item.append(unknown("a mitigated judge ends with the first of its members: ask for each of them"));
    } else if (!found.length) {
      const hints = near(index, name);
      item.append(unknown(`not in this registry${hints.length ? `; did you mean ${hints.join(" or ")}?` : ""}`));
      for (const hint of hints) {
        const button = make("button", { type: "button", className: "epc-judge-hint" }, hint);
        button.addEventListener("click", () => show([hint]));
        item.append(button, " ");
      }
    }
    const makers = found.filter(({ life }) => life.makers);
    const named = ({ life }) => saysPlatform(index, name, life);
    const known = ({ generation }) => generation.lives.some((life) => life.makers);
    if (found.length && !found.some((each) => named(each) || known(each))) {
      const by = unique(found.map(({ generation }) => generation.maker)).join(" and ");
      const others = unique(found.map(({ life }) => `${life.platform}/${name}`)).join(" and ");
      item.append(unknown(`${by}, its maker, has no record of it here; only ${others}`));
    }
    const told = ({ life }) => line(life.platform, stateOf(index, life.states, name), life.sure);
    const first = makers.length ? makers : found;
    item.append(...first.map(told));
    const others = found.filter((each) => !first.includes(each));
    if (others.length) {
      const many = others.length === 1 ? "one other platform" : `${others.length} other platforms`;
      item.append(make("details", {}, make("summary", {}, `On ${many}`), ...others.map(told)));
    }
    if (summary) item.append(make("p", {}, "As a judge: ", marked(make("span", {}, summary), "card")));
    const { pages: judged } = index.judged[index.judges.get(folded(name)) ?? 0];
    const pages = unique([...found.map(({ generation }) => generation.name), ...judged]);
    if (pages.length) {
      const links = pages.flatMap((page) => [" ", link(`evaluators/${encodeURIComponent(page)}/`, `All about ${page}`)]);
      item.append(make("p", {}, ...links.slice(1)));
    }
    return item;
  };

  // Everything that ends of what was asked about, as `epc expiry` says it of each name.
  const endsOf = (index, name) => {
    const tag = index.tags.get(name);
    const asked = tag ? [tag] : (index.names.get(folded(name)) ?? []).map(({ life }) => life);
    const told = asked.map(({ platform, states }) => ({ id: name, platform, ...stateOf(index, states, name) }));
    return told.filter(({ until }) => until);
  };

  const pagesOf = (index, names) => {
    const found = names.flatMap((name) => (index.names.get(folded(name)) ?? []).map(({ generation }) => generation.name));
    return unique(found).map((name) => {
      const at = encodeURIComponent(name);
      const [page, feed, days] = [`evaluators/${at}/`, `feeds/${at}.xml`, `calendars/${at}.ics`].map((path) => new URL(path, home).href);
      return { name, page, feed, days };
    });
  };

  // What follows these names further, each in a place where people look anyway.
  let given = [];
  const download = (name, type, text, said) => {
    const href = URL.createObjectURL(new Blob([text], { type }));
    given.push(href);
    return make("a", { href, download: name }, said);
  };
  const copied = (text) => {
    const button = make("button", { type: "button", className: "epc-judge-hint" }, "Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    });
    return button;
  };
  const following = (index, names) => {
    given.forEach((href) => URL.revokeObjectURL(href));
    given = [];
    const ends = names.flatMap((name) => endsOf(index, name));
    const pages = pagesOf(index, names);
    const subscribed = (key) => pages.flatMap(({ name, ...at }) => [" ", link(at[key], name)]);
    const kept = [];
    const keep = (term, ...told) => kept.push(make("div", {}, make("dt", {}, term), make("dd", {}, ...told)));
    if (ends.length) {
      const file = download("epc-expiry.ics", "text/calendar", calendar(names, ends, index.today), "Calendar of these names");
      keep("Calendar", marked(file, "calendar"), ` (${ends.length} ${ends.length === 1 ? "day" : "days"}, as known today).`);
    }
    if (pages.length) {
      keep("Calendars that stay up to date", "Subscribe to", ...subscribed("days"));
      const file = download("epc-feeds.opml", "text/x-opml", feeds(names, pages), "List of these feeds");
      keep("Feeds", "Subscribe to", ...subscribed("feed"), ", or import the ", marked(file, "feeds"), " into your reader.");
    }
    const line = gate(names, home.href);
    const command = make("pre", { className: "epc-code", tabIndex: 0 }, marked(make("code", {}, line), "gate"));
    keep("CI gate: exits 1 once a name has ended, or is not known", command, copied(line));
    return [make("h3", {}, "Keep an eye on them"), make("dl", {}, ...kept)];
  };

  // What names stand in a text. A list is its words, a question those that may be names. In a file, which has other marks too, they are
  // the words that are known, and those that look like a model's name: `epc scan` finds the same
  // (epc/registry/scan/mentions.py).
  const read = (index, text) => {
    if (!/["'`={}[\]()<>#|]|:\s|:$/m.test(text)) {
      const words = text.split(/[\s,;]+/).map((word) => word.replace(/[?!]+$/, "")).filter(Boolean);
      const plain = words.filter((word) => /^[a-z']+$/i.test(word) && !index.names.has(folded(word)));
      const asks = words.length > 1 && (text.includes("?") || plain.length >= SENTENCE);
      return unique(asks ? words.filter((word) => !plain.includes(word)) : words);
    }
    const begun = [...index.names.keys()].map((name) => /^[a-z]+(-[a-z]+)*(?=[-@][^-@]*\d)/.exec(name.split("/").at(-1))?.[0]);
    const heads = new Set(begun.filter(Boolean));
    const isKnown = (name) => index.names.has(folded(name)) || index.tags.has(name);
    const isLikely = (name) => {
      const last = name.split("/").at(-1);
      if (last !== name) return /^[a-z0-9][\w.-]*(\/[\w.@-]+)+$/i.test(name) && ((/[-\d]/.test(last) && isKnown(last)) || isLikely(last));
      if (!/^[a-z]+-.*\d/i.test(name) || /\.[a-z]+$/i.test(name)) return false;
      const words = folded(/^[a-z]+(-[a-z]+)*/i.exec(name)[0]);
      return [...words.matchAll(/-|$/g)].some(({ index: at }) => heads.has(words.slice(0, at)));
    };
    const found = [];
    for (const word of text.split(/(?:[\s,;"'`={}[\]()<>#|~!]|\\[nrt]?)+/)) {
      const parts = [word, ...[...word.matchAll(/:/g)].map(({ index: at }) => word.slice(at + 1))];
      const clean = parts.map((part) => part.replace(/^[:.]+|[:.]+$/g, "")).filter((part) => /[-\d/]/.test(part));
      const name = clean.find(isKnown) ?? clean.find(isLikely);
      if (name) found.push(name);
    }
    return unique(found);
  };

  const label = make("label", { htmlFor: "judge-names" }, "Names, or a requirements or configuration file");
  const field = make("textarea", { id: "judge-names", rows: 2, spellcheck: false, autocapitalize: "off" });
  const form = make("form", { className: "epc-judge" }, label, field, make("button", { type: "submit", className: "md-button" }, "Check"));
  const hint = make("p", { id: "judge-hint", className: "epc-note" }, "One name or several, as you write them in your code: gpt-4o, anthropic/claude-sonnet-4-5. What you type or paste stays in your browser.");
  field.setAttribute("aria-describedby", hint.id);
  const said = make("div", { id: "judge-answers" });
  said.setAttribute("aria-live", "polite");
  const kept = make("div", { id: "judge-follow" });

  let loading;
  const ready = () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };

  const told = (index, names) => {
    kept.replaceChildren();
    if (!names.length) {
      const choose = [link("#current", "what was measured of judges"), " and ", link("succession/", "which judges agree with one that ends")];
      return [make("p", {}, "No model's name is found in this text. To choose a judge, see ", ...choose, ".")];
    }
    const address = new URL(location.pathname, location.href);
    address.search = `judge=${names.map(encodeURIComponent).join(",")}`;
    history.replaceState(null, "", address);
    const shown = names.slice(0, MOST);
    const left = names.length - shown.length;
    kept.replaceChildren(...following(index, names));
    return [
      make("ul", {}, ...shown.map((name) => answer(index, name))),
      ...(left ? [make("p", {}, `${left} more names are not shown.`)] : []),
      make("p", {}, "As of ", make("time", { dateTime: index.today }, index.today), ". ", marked(link(address.href, "Permanent link to these answers"), "permanent")),
    ];
  };

  const guarded = async (work) => {
    try {
      said.replaceChildren(...(await work()));
    } catch {
      said.replaceChildren(make("p", {}, "The list of names could not be loaded. Try again."));
    }
  };
  const show = (names) => {
    field.value = names.join("\n");
    return guarded(async () => told(await ready(), names));
  };
  const ask = () => guarded(async () => {
    const index = await ready();
    return told(index, read(index, field.value));
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    ask();
  });
  place.replaceChildren(form, hint, said, kept);
  const linked = new URLSearchParams(location.search).get("judge");
  if (linked) show(unique(linked.split(",").map((name) => name.trim()).filter(Boolean)));
}
