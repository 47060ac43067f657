// States again, from the dates in the page and the reader's clock, so that a page that was built
// long ago shows nothing as current that has expired. The rules are those of `epc expiry`.
(() => {
  "use strict";
  const DAY = 86400000;
  const SERVED = { current: "served", expired: "ended", unconfirmed: "not confirmed", unknown: "unknown" };
  const built = document.querySelector("[data-as-of]")?.dataset.asOf;
  if (!built) return;
  const clock = new Date().toISOString().slice(0, 10);
  const today = clock > built ? clock : built; // what has expired once stays so, whatever the clock
  const date = (text) => Date.parse(`${text}T00:00:00Z`);
  const days = (text) => Math.round((date(text) - date(today)) / DAY);

  // An end that has come outweighs a doubt, a doubt an end to come. Only what has ended has a reason.
  const state = ({ status, until, reason, aged, notice }) => {
    if (status === "expired") return { status, reason };
    if (until && until <= today) return { status: "expired", reason };
    if (status === "unknown") return { status, reason: "" };
    if (until && days(until) <= Number(notice)) return { status: "expiring", reason: "" };
    return { status: aged && aged <= today ? "unconfirmed" : "current", reason: "" };
  };

  const away = (day) => {
    const left = days(day);
    if (left === 0) return "today";
    const unit = Math.abs(left) === 1 ? "day" : "days";
    return left > 0 ? `in ${left} ${unit}` : `${-left} ${unit} ago`;
  };

  const told = (root) => {
    const changed = [];
    for (const place of root.querySelectorAll("[data-status]")) {
      const now = state(place.dataset);
      const before = place.dataset.status;
      for (const label of now.status === before ? [] : place.querySelectorAll("[data-epc=status]")) {
        label.textContent = now.reason ? `${now.status} (${now.reason})` : now.status;
        label.className = `epc-status epc-${now.status}`;
      }
      for (const label of place.querySelectorAll("[data-epc=until]")) {
        label.textContent = now.status === "expired" ? "since" : "until";
      }
      for (const label of place.querySelectorAll("[data-epc=in]")) {
        label.textContent = away(place.dataset.until);
      }
      for (const label of place.querySelectorAll("[data-epc=days]")) label.textContent = String(days(place.dataset.until));
      for (const label of place.querySelectorAll("[data-epc=left]")) {
        const left = days(place.dataset.until);
        if (now.status === "expiring") label.textContent = `${left} ${left === 1 ? "day" : "days"}`;
        else if (now.status !== before) label.textContent = SERVED[now.status];
        label.className = `epc-status epc-${now.status}`;
      }
      place.dataset.status = now.status;
      if (now.status === "expired" && before !== "expired") changed.push(place);
    }
    return changed;
  };

  // What the program wrote for each day on which it turns: of these the last that has begun.
  for (const place of document.querySelectorAll("[data-turns]")) {
    const [, text] = JSON.parse(place.dataset.turns).findLast(([from]) => from <= today);
    Object.assign(place, { textContent: text, hidden: !text });
  }

  const cell = (label, ...content) => {
    const made = document.createElement("td");
    made.dataset.label = label;
    made.append(...content);
    return made;
  };
  const named = (text, name) => Object.assign(document.createElement("span"), { textContent: text, className: name });

  // The page of expired ones fetches what was current when it was built, and takes what has ended since.
  const gather = async (table) => {
    const answer = await fetch("../snapshots/");
    if (!answer.ok) return;
    const every = new DOMParser().parseFromString(await answer.text(), "text/html");
    const known = new Set([...table.tBodies[0].rows].map((row) => row.dataset.tag));
    const rows = told(every).filter((row) => row.closest("table#current-table") && !known.has(row.dataset.tag));
    const copy = (row, name) => document.importNode(row.querySelector(`[data-label="${name}"]`), true);
    for (const row of rows.reverse()) {
      const ended = document.createElement("tr");
      Object.assign(ended.dataset, row.dataset);
      const reason = named(row.dataset.reason, "epc-status epc-expired");
      const was = copy(row, "Headline");
      was.dataset.label = "It was";
      ended.append(copy(row, "Judge"), cell("Expired", row.dataset.until), cell("Reason", reason, " since this page was built"), was, copy(row, "n"));
      if ("failed" in row.dataset) table.tBodies[0].append(ended);
      else table.tBodies[0].prepend(ended);
    }
    table.dispatchEvent(new Event("change")); // tables.js counts and pages them
  };

  const changed = told(document);
  for (const place of changed.filter((each) => each.closest(".epc-ends"))) place.remove();
  const expired = document.querySelector("table#expired-table");
  const whole = expired ? gather(expired).catch(() => {}) : Promise.resolve();
  whole.then(() => { document.documentElement.dataset.epcToday = today; });
})();
