// Answers on the reader's own day, so that a page that was built long ago shows nothing as current that
// has expired. The program wrote each for every day on which it turns; here only days are counted.
import { counted, dayOf, daysTo, standing } from "./turns.js";

const show = (built) => {
  const today = dayOf(built);
  const days = (day) => daysTo(day, today);

  const away = (day) => {
    const left = days(day);
    if (left === 0) return "today";
    return left > 0 ? `in ${counted(left)}` : `${counted(-left)} ago`;
  };

  // Those places are returned that have turned into what is said since an end.
  const told = (root) => {
    const turned = [];
    for (const place of root.querySelectorAll("[data-states]")) {
      const [, status, reason, served, word] = standing(JSON.parse(place.dataset.states), today);
      const { until, status: before } = place.dataset;
      const isNew = status !== before;
      for (const label of place.querySelectorAll("[data-epc=status], [data-epc=left]")) label.className = `epc-status epc-${status}`;
      for (const label of isNew ? place.querySelectorAll("[data-epc=status]") : []) label.textContent = reason ? `${status} (${reason})` : status;
      for (const label of place.querySelectorAll("[data-epc=until]")) label.textContent = word;
      for (const label of place.querySelectorAll("[data-epc=in]")) label.textContent = away(until);
      for (const label of place.querySelectorAll("[data-epc=days]")) label.textContent = String(days(until));
      for (const label of isNew || !served ? place.querySelectorAll("[data-epc=left]") : []) label.textContent = served || counted(days(until));
      Object.assign(place.dataset, { status, reason });
      if (isNew && status === "expired") turned.push(place);
    }
    return turned;
  };

  // What the program wrote for each day on which it turns: of these the last that has begun.
  for (const place of document.querySelectorAll("[data-turns]")) {
    const [, text] = standing(JSON.parse(place.dataset.turns), today);
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
};

const built = document.querySelector("[data-as-of]")?.dataset.asOf;
if (built) show(built);
