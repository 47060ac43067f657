// What one permanent link is besides a page: a calendar, a list of feeds, and a gate in anybody's CI.
// A site of files answers no queries, so that the browser makes what is of a whole set of names.

// A text as RFC 5545 writes it: escaped, and no line longer than 75 bytes.
const escaped = (text) => text.replace(/[\\;,]/g, "\\$&").replace(/\r?\n/g, "\\n");
const folded = (line) => {
  const bytes = (text) => new TextEncoder().encode(text).length;
  const lines = [""];
  for (const each of line) {
    if (bytes(lines.at(-1) + each) > 75) lines.push(" ");
    lines[lines.length - 1] += each;
  }
  return lines.join("\r\n");
};
const quoted = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

// The calendar of `epc expiry --format ics NAME...`: an entry on each day on which something ends.
export const calendar = (names, ends, today) => {
  const day = (text) => text.replaceAll("-", "");
  const title = names.join(", ");
  const entries = ends.flatMap(({ id, platform, until, notBefore, event, note, source, revision }) => [
    "BEGIN:VEVENT",
    `SUMMARY:${escaped(`${id} ${event}`)}`,
    `DTSTART;VALUE=DATE:${day(until ?? notBefore)}`,
    `DTSTAMP:${day(today)}T000000Z`,
    `UID:${escaped(`${id}${platform ? `.${platform}` : ""}@epc-registry`)}`,
    `SEQUENCE:${revision}`,
    `DESCRIPTION:${escaped(`${note}\nsource: ${source}`)}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ]);
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//EPC registry//epc expiry//EN",
    `NAME:${escaped(`EPC: ${title}`)}`,
    `X-WR-CALNAME:${escaped(`EPC: ${title}`)}`,
    `UID:${quoted(title).replaceAll("%2F", "/")}@epc-registry`,
    ...entries,
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
};

// A list of feeds (OPML 2.0) that a feed reader imports in one step.
export const feeds = (names, pages) => {
  const opml = document.implementation.createDocument(null, "opml");
  const add = (parent, name, given) => {
    const made = opml.createElement(name);
    for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  };
  opml.documentElement.setAttribute("version", "2.0");
  const head = add(opml.documentElement, "head", {});
  add(head, "title", {}).textContent = `EPC: ${names.join(", ")}`;
  const body = add(opml.documentElement, "body", {});
  for (const { name, feed, page } of pages) {
    add(body, "outline", { type: "rss", text: `EPC: ${name}`, title: `EPC: ${name}`, xmlUrl: feed, htmlUrl: page });
  }
  return `<?xml version="1.0" encoding="utf-8"?>\n${new XMLSerializer().serializeToString(opml)}\n`;
};

// The command that fails in CI once one of these names is no longer valid, or is none that is known.
export const gate = (names, home) => {
  const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const end = names.some((name) => name.startsWith("-")) ? ["--"] : [];
  return ["epc expiry --known --registry", word(home), ...end, ...names.map(word)].join(" ");
};
