// "The model you use as a judge": the answers of `epc expiry` and of `epc evaluators card`, from one
// file of this site and on the reader's own day. What is typed stays here, and is only ever text.
import { calendar, feeds, gate } from "./follow.js";
import { addressOf, answer, begun, folded, isKnown, keyed, load, meaning, ofSnapshot, shorter, unique } from "./names.js";
import { standing } from "./turns.js";

{
  const place = document.getElementById("judge");
  const home = new URL("../", import.meta.url);
  const MOST = 50; // answers at once
  const SENTENCE = 3; // words of letters alone that nobody knows
  const LONGEST = 300; // characters of a word: what is longer is data
  const COLONS = 12; // of a word, behind each of which a name may begin; more are data

  const make = (name, given = {}, ...content) => {
    const made = Object.assign(document.createElement(name), given);
    made.append(...content);
    return made;
  };
  const marked = (made, name) => {
    made.dataset.epc = name;
    return made;
  };
  const listed = (all) => (all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`);

  // The first sentence of a model's card: the platforms of which the same is said, together.
  const sentence = (index, name, { card, who, said }) => {
    const clauses = new Map();
    for (const { clause, platform } of card) clauses.set(clause, unique([...(clauses.get(clause) ?? []), platform]));
    const served = [...clauses].map(([clause, platforms]) => clause.replace("{5}", listed(platforms)));
    const [first, ...further] = served.length ? served : [index.words.nowhere];
    return `${who ?? name}: ${[first, ...[...further, said].map(begun)].join(". ")}.`;
  };

  const line = ({ platform, status, rest, note, source, sure }) => {
    const said = make("p", { className: "epc-judge-state" });
    if (platform) said.append(marked(make("span", {}, platform), "platform"), ": ");
    said.append(
      marked(make("span", {}, make("span", { className: `epc-status epc-${status}` }, status), rest), "words"),
      ". ",
      marked(make("span", {}, note), "note"),
      ".",
    );
    if (sure) said.append(" ", make("span", { className: "epc-judge-sure" }, sure));
    if (source) {
      const told = /^https?:\/\//.test(source) ? make("a", { href: source, rel: "noopener" }, source) : make("span", {}, source);
      said.append(" Source: ", marked(told, "source"));
    }
    return said;
  };

  const link = (href, text) => make("a", { href: new URL(href, home).href }, text);

  const shown = (index, name) => {
    const item = make("li", {}, make("h3", {}, name));
    item.dataset.name = name;
    if (index.tags.has(name)) {
      item.append(line({ ...ofSnapshot(index, name), platform: "" }));
      item.append(make("p", {}, link(`snapshots/${name}/`, `The snapshot ${name}`)));
      return item;
    }
    const unknown = (note) => line({ status: index.words.unknown, rest: "", note });
    const told = answer(index, name);
    const { why, hints, first, places, judge, models, pages } = told;
    if (!told.isKnown && index.words.wrappers.some((each) => name.startsWith(each))) {
      item.append(unknown(index.words.wrapper));
      return item;
    }
    if (!first) item.append(unknown(why));
    for (const hint of hints) {
      const button = make("button", { type: "button", className: "epc-judge-hint" }, hint);
      button.addEventListener("click", () => show([hint]));
      item.append(button, " ");
    }
    item.append(...places.slice(0, first).map(line));
    if (judge) {
      const [who, because, page] = judge;
      const to = link(addressOf(page, who), who);
      item.append(make("p", {}, "Instead: ", marked(make("span", {}, to, `, ${because}`), "instead"), "."));
    }
    const others = places.slice(first);
    if (others.length) {
      const many = others.length === 1 ? "one other platform" : `${others.length} other platforms`;
      item.append(make("details", {}, make("summary", {}, `On ${many}`), ...others.map(line)));
    }
    if (told.isKnown) item.append(make("p", {}, "As a judge: ", marked(make("span", {}, sentence(index, name, told)), "card")));
    const links = pages.map((page) => link(addressOf(page), `All about ${page}`));
    if (models.some(({ page }) => !page)) links.push(link("evaluators/catalogue/", "The catalogue"));
    if (links.length) item.append(make("p", {}, ...links.flatMap((each) => [" ", each]).slice(1)));
    return item;
  };

  // Everything that ends of what was asked about, as `epc expiry` says it of each name.
  const endsOf = (index, name) => {
    const asked = index.tags.has(name) ? [ofSnapshot(index, name)] : answer(index, name).places;
    return asked.filter(({ until, notBefore }) => until || notBefore).map((state) => ({ id: name, ...state }));
  };

  // Those of these names that have a feed. `days` is empty where they have no calendar.
  const pagesOf = (index, names) => {
    const models = unique(names.filter((name) => !index.tags.has(name)).flatMap((name) => answer(index, name).models));
    const found = models.filter(({ page }) => page).map(({ page, followed }) => [page, standing(followed, index.today)[1]]);
    return found.filter(([, has]) => has > 0).map(([name, has]) => {
      const at = encodeURIComponent(name);
      const [page, feed, days] = [`evaluators/${at}/`, `feeds/${at}.xml`, `calendars/${at}.ics`].map((path) => new URL(path, home).href);
      return { name, page, feed, days: has > 1 ? days : "" };
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
    const subscribed = (key) => pages.filter((at) => at[key]).flatMap(({ name, ...at }) => [" ", link(at[key], name)]);
    const kept = [];
    const keep = (term, ...told) => kept.push(make("div", {}, make("dt", {}, term), make("dd", {}, ...told)));
    if (ends.length) {
      const file = download("epc-expiry.ics", "text/calendar", calendar(names, ends, index.today), "Calendar of these names");
      keep("Calendar", marked(file, "calendar"), ` (${ends.length} ${ends.length === 1 ? "day" : "days"}, as known today).`);
    }
    if (pages.length) {
      const calendars = subscribed("days");
      if (calendars.length) keep("Calendars that stay up to date", "Subscribe to", ...calendars);
      const file = download("epc-feeds.opml", "text/x-opml", feeds(names, pages), "List of these feeds");
      keep("Feeds", "Subscribe to", ...subscribed("feed"), ", or import the ", marked(file, "feeds"), " into your reader.");
    }
    const line = gate(names, home.href);
    const command = make("pre", { className: "epc-code", tabIndex: 0 }, marked(make("code", {}, line), "gate"));
    keep("CI gate: exits 1 once a name has ended, or is not known", command, copied(line));
    return [make("h3", {}, "Keep an eye on them"), make("dl", {}, ...kept)];
  };

  // What names stand in a text. A list is its words, or its pieces that are names; a question those words that may be names. In a file,
  // which has other marks too, they are the words that are known, and those that look like a model's name: `epc scan` finds the same
  // (epc/registry/scan/mentions.py).
  const read = (index, text) => {
    const knows = (name) => index.tags.has(name) || isKnown(index, meaning(index, name));
    if (!/["'`={}[\]()<>#|]|:\s|:$/m.test(text)) {
      const pieces = text.split(/[,;\n]+/).map((piece) => piece.trim().replace(/[?!]+$/, ""));
      const words = pieces.flatMap((piece) => (knows(piece) ? [piece] : piece.split(/\s+/))).map((word) => word.replace(/[?!]+$/, "")).filter(Boolean);
      const plain = words.filter((word) => /^[a-z']+$/i.test(word) && !knows(word));
      const asks = words.length > 1 && (text.includes("?") || plain.length >= SENTENCE);
      return unique(asks ? words.filter((word) => !plain.includes(word)) : words);
    }
    const MARK = /[-\d/]/;
    const JOINED = /^([a-z]+)\d+(?:\.\d+)?-[a-z]/i;
    const last = (name) => name.split("/").at(-1);
    const lasts = [...index.names.keys()].map(last);
    const begins = (pattern, at) => new Set(lasts.map((name) => pattern.exec(name)?.[at]).filter(Boolean));
    const [heads, joined] = [begins(/^[a-z]+(-[a-z]+)*(?=[-@][^-@]*\d)/, 0), begins(JOINED, 1)];
    const firsts = new Set(lasts.filter((name) => name.includes("-")).map((name) => name.split("-")[0]));
    const isName = (name) => {
      const { platforms, through, name: own } = meaning(index, name).spelt;
      return index.tags.has(name) || (knows(name) && (platforms !== null || through.length > 0 || MARK.test(own)));
    };
    const isLikely = (name) => {
      const { name: own } = shorter(index, name).at(-1);
      const end = last(own);
      if (end !== own && !/^[a-z0-9][\w.-]*(\/[\w.@-]+)+$/i.test(own)) return false;
      if (end !== own && MARK.test(end) && index.alike.has(keyed(end))) return true;
      if (/\.[a-z]+$|[*$%]/i.test(end)) return false;
      if (joined.has(folded(JOINED.exec(end)?.[1] ?? ""))) return true;
      if (!/^[a-z]+-.*\d/i.test(end)) return false;
      const words = folded(/^[a-z]+(-[a-z]+)*/i.exec(end)[0]);
      return [...words.matchAll(/-|$/g)].some(({ index: at }) => heads.has(words.slice(0, at)));
    };
    const named = (word) => {
      const begins = [0, ...[...word.matchAll(/:/g)].map(({ index: at }) => at + 1)];
      if (word.length > LONGEST || begins.length > COLONS + 1) return undefined;
      const parts = begins.map((at) => word.slice(at).replace(/^[:.]+|[:.]+$/g, "")).filter((part) => MARK.test(part));
      return parts.find(isName) ?? parts.find(isLikely);
    };
    const spaced = (from) => {
      let whole = /^[^\s]+(?: [A-Za-z0-9.]+){1,5}/.exec(from)?.[0].replace(/\.+$/, "") ?? "";
      while (whole.includes(" ") && !(MARK.test(whole) && index.alike.has(keyed(whole)))) {
        whole = whole.slice(0, whole.lastIndexOf(" ")).replace(/\.+$/, "");
      }
      return whole.includes(" ") ? whole : undefined;
    };
    const found = [];
    const words = text.replace(/\\[nrt]/g, "  ");
    let end = 0;
    for (const { 0: word, index: at } of words.matchAll(/[^\s,;"'`={}[\]()<>#|~!\\]+/g)) {
      if (at < end) continue;
      const one = firsts.has(folded(word)) && !MARK.test(word) ? undefined : named(word);
      const begins = one === undefined ? firsts.has(folded(word)) : word.startsWith(one);
      const more = begins ? spaced(words.slice(at, at + LONGEST)) : undefined;
      const name = more ?? one;
      if (!name) continue;
      if (more) end = at + more.length;
      found.push(name);
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
      const choose = [link("#judges", "what was measured of judges"), " and ", link("succession/", "which judges agree with one that ends")];
      return [make("p", {}, "No model's name is found in this text. To choose a judge, see ", ...choose, ".")];
    }
    const address = new URL(location.pathname, location.href);
    address.search = `judge=${names.map(encodeURIComponent).join(",")}`;
    history.replaceState(null, "", address);
    const first = names.slice(0, MOST);
    const left = names.length - first.length;
    kept.replaceChildren(...following(index, names));
    return [
      make("ul", {}, ...first.map((name) => shown(index, name))),
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
