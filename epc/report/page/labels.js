"use strict";
{
  const find = (id) => document.getElementById(id);
  const main = document.querySelector("main");
  const rows = [...document.querySelectorAll("article")];
  const items = rows.map((row) => row.dataset.item);
  const pair = (text) => text.split(" ").map(Number);
  const drawn = pair(main.dataset.drawn);
  const judged = pair(main.dataset.judged);
  const storageKey = `epc-labels-${main.dataset.file}`;
  const labels = new Map();
  let place = 0;

  // Kept in the browser ------------------------------------------------------------------------

  function restore() {
    try {
      for (const [item, label] of JSON.parse(localStorage.getItem(storageKey) || "[]")) {
        labels.set(item, label);
      }
    } catch {
      labels.clear();
    }
  }

  function keep() {
    try {
      localStorage.setItem(storageKey, JSON.stringify([...labels]));
    } catch {
      find("kept").textContent = "This browser keeps nothing: save before you close the page.";
    }
  }

  // Width of the interval ----------------------------------------------------------------------

  /** Return a share with its ends by Wilson; of nothing any share is possible. */
  function wilson(hits, n, share) {
    if (n === 0) return [share, 0, 1];
    const z = 1.959963984540054;
    const p = hits / n;
    const scale = 1 + (z * z) / n;
    const middle = (p + (z * z) / (2 * n)) / scale;
    const half = (z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n))) / scale;
    return [p, middle - half, middle + half];
  }

  /** Return how wide the interval is of what people would pass of all rows. */
  function widthOf(passedHits, passedCount, failedHits, failedCount) {
    const all = (passedHits + failedHits) / (passedCount + failedCount);
    const [q, qLow, qHigh] = wilson(judged[0], judged[0] + judged[1], 0);
    const [a, aLow, aHigh] = wilson(passedHits, passedCount, all);
    const [b, bLow, bHigh] = wilson(failedHits, failedCount, all);
    const value = q * a + (1 - q) * b;
    const [down, up] = a >= b ? [q - qLow, qHigh - q] : [qHigh - q, q - qLow];
    const distance = (ofA, ofB, ofQ) => Math.hypot(q * ofA, (1 - q) * ofB, (a - b) * ofQ);
    const low = Math.max(0, value - distance(a - aLow, b - bLow, down));
    const high = Math.min(1, value + distance(aHigh - a, bHigh - b, up));
    return high - low;
  }

  /** Return the widest interval of n labels of which so many say pass, in points. */
  function widest(n, passes) {
    if (n === 0) return 100;
    const first = (n * drawn[0]) / (drawn[0] + drawn[1]);
    const second = n - first;
    const most = Math.min(first, passes);
    let width = 0;
    for (let hits = Math.max(0, passes - second); hits < most + 1; hits += 1) {
      const inFirst = Math.min(hits, most);
      width = Math.max(width, widthOf(inFirst, first, passes - inFirst, second));
    }
    return Math.ceil(100 * width);
  }

  const ofAll = Math.max(...[...rows, null].map((_, passes) => widest(rows.length, passes)));

  // What is shown ------------------------------------------------------------------------------

  function show() {
    const counts = { pass: 0, fail: 0, unsure: 0 };
    for (const item of items) if (labels.has(item)) counts[labels.get(item)] += 1;
    const done = counts.pass + counts.fail + counts.unsure;
    rows.forEach((row, index) => { row.hidden = index !== place; });
    find("place").textContent = `Row ${place + 1} of ${rows.length}`;
    find("done").textContent = done;
    find("bar").value = done;
    find("width").textContent =
      `Interval at most about ${widest(counts.pass + counts.fail, counts.pass)} points wide; ` +
      `with ${rows.length} labels ${ofAll}`;
    for (const button of document.querySelectorAll(".keys button")) {
      button.setAttribute("aria-pressed", labels.get(items[place]) === button.value);
    }
    find("back").disabled = place === 0;
    find("next").disabled = place === rows.length - 1;
    if (done === rows.length) find("kept").textContent = "All rows are labelled. Save them.";
  }

  function go(step) {
    place = Math.min(rows.length - 1, Math.max(0, place + step));
    show();
    window.scrollTo(0, 0);
  }

  function put(label) {
    labels.set(items[place], label);
    keep();
    go(1);
    find("status").textContent = `${label}. ${find("place").textContent}`;
  }

  function save() {
    const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
    const given = items.filter((item) => ["pass", "fail"].includes(labels.get(item)));
    const judge = quoted(main.dataset.judge);
    const lines = given.map((item) => `${quoted(item)},${labels.get(item)},${judge}\r\n`);
    const link = document.createElement("a");
    const content = new Blob(["item,gold,drawn_by\r\n", ...lines], { type: "text/csv" });
    link.href = URL.createObjectURL(content);
    link.download = main.dataset.labels;
    link.click();
    const unsure = items.filter((item) => labels.get(item) === "unsure").length;
    find("kept").textContent = `Saved ${given.length} labels; ${unsure} unsure left out.`;
  }

  const actions = {
    p: () => put("pass"),
    f: () => put("fail"),
    u: () => put("unsure"),
    arrowleft: () => go(-1),
    arrowright: () => go(1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    const action = actions[event.key.toLowerCase()];
    if (action) action();
  });
  for (const button of document.querySelectorAll(".keys button")) {
    button.addEventListener("click", () => put(button.value));
  }
  find("back").addEventListener("click", () => go(-1));
  find("next").addEventListener("click", () => go(1));
  find("save").addEventListener("click", save);
  restore();
  find("tools").hidden = false;
  find("unscripted").hidden = true;
  place = Math.max(0, items.findIndex((item) => !labels.has(item)));
  show();
}
