// Tables that sort and filter. Without this script they are whole, in the order they were built in.
(() => {
  "use strict";
  const FEWEST = 2;
  const MOST = matchMedia("(max-width: 44.9em)").matches ? 12 : 20; // lines, before one asks for the others
  const make = (name, given = {}, ...content) => {
    const made = Object.assign(document.createElement(name), given);
    made.append(...content);
    return made;
  };

  // What a cell is sorted by: the digits behind a number, a day, else its text.
  const key = (row, column) => {
    const cell = row.cells[column];
    const numbers = [...(cell?.querySelectorAll("data") ?? [])];
    // Of a cell that has a number for each domain, the one that is shown.
    const chosen = row.closest(".epc-judges") && numbers.find((each) => each.checkVisibility());
    const number = (chosen || numbers[0])?.value;
    const text = cell?.querySelector("time")?.dateTime ?? cell?.textContent.trim() ?? "";
    if (number !== undefined) return Number(number);
    return cell?.querySelector(".epc-none") ? null : text;
  };

  const failed = (row) => "failed" in row.dataset;

  const order = (a, b) => {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), "en", { numeric: true });
  };

  const equip = (table) => {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const places = heads.map((head) => head.querySelector(".epc-scale > span") ?? head);
    const names = places.map((place) => place.textContent);
    const region = table.closest(".epc-scroll");
    const said = make("output", { className: "epc-said" });
    said.setAttribute("aria-live", "polite");

    const sort = (column, direction) => {
      const sign = direction === "descending" ? -1 : 1;
      const rows = [...body.rows].map((row) => ({ row, key: key(row, column) }));
      rows.sort((a, b) => {
        const last = failed(a.row) - failed(b.row); // never ranked, whichever way
        if (last) return last;
        if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
        return sign * order(a.key, b.key);
      });
      body.append(...rows.map(({ row }) => row));
      filter();
      heads.forEach((head, place) => {
        if (place === column) head.setAttribute("aria-sort", direction);
        else head.removeAttribute("aria-sort");
      });
      choice.value = `${column} ${direction}`;
      tell(`sorted by ${names[column]}, ${direction}`);
    };

    const tell = (what = "") => {
      const shown = [...body.rows].filter((row) => !row.hidden).length;
      const count = `${shown} of ${body.rows.length} shown`;
      said.textContent = what ? `${count}, ${what}` : count;
    };

    let most = MOST;
    const more = make("button", { type: "button", className: "md-button epc-more" });
    more.addEventListener("click", () => { most = Infinity; filter(); });
    const filter = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let matches = 0;
      for (const row of body.rows) {
        const own = row.textContent.toLowerCase();
        const chosen = picks.every(([column, pick]) =>
          !pick.value || row.cells[column].textContent.trim().split(" ")[0] === pick.value);
        const wanted = chips.every(({ name, value }) => !value || row.dataset[name] === value);
        const match = chosen && wanted && words.every((word) => own.includes(word));
        matches += match;
        row.hidden = !match || matches > most;
      }
      more.hidden = matches <= most;
      more.textContent = `Show the other ${matches - most}`;
      tell();
    };
    let chips = [];
    const choose = () => {
      chips = [...document.querySelectorAll(".epc-filters :checked")];
      filter();
    };

    heads.forEach((head, column) => {
      if ("unsorted" in head.dataset) return;
      const button = make("button", { type: "button" }, names[column]);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        sort(column, up ? "ascending" : "descending");
      });
      places[column].replaceChildren(button);
    });

    const text = make("input", { type: "search" });
    text.addEventListener("input", filter);
    const picks = names.flatMap((name, column) => {
      if (!["Status", "Trust"].includes(name)) return [];
      const found = new Set([...body.rows].map((r) => r.cells[column].textContent.trim().split(" ")[0]));
      if (found.size < FEWEST) return [];
      const pick = make("select", {}, make("option", { value: "" }, "all"));
      pick.append(...[...found].filter(Boolean).sort().map((each) => make("option", {}, each)));
      pick.addEventListener("change", filter);
      return [[column, pick]];
    });
    // On a phone a table has no head; there this stands in for it.
    const choice = make("select", {}, make("option", { value: "" }, "as built"));
    names.forEach((name, column) => {
      if ("unsorted" in heads[column].dataset) return;
      for (const direction of ["ascending", "descending"]) {
        choice.append(make("option", { value: `${column} ${direction}` }, `${name}, ${direction}`));
      }
    });
    choice.addEventListener("change", () => {
      const [column, direction] = choice.value.split(" ");
      if (direction) sort(Number(column), direction);
    });
    if (!region) { // a short one has its heads alone, and may have domains to choose from
      said.classList.add("epc-vh");
      table.after(said);
      document.querySelector(".epc-domains")?.addEventListener("change", () => sort(1, "descending"));
      return;
    }
    const label = region.getAttribute("aria-label");
    const controls = make("div", { className: "epc-controls" });
    controls.setAttribute("role", "group");
    controls.setAttribute("aria-label", `${label}: filter and sort`);
    const named = (name, control, className = "") => {
      control.setAttribute("aria-label", name);
      return make("label", { className }, `${name} `, control);
    };
    controls.append(named("Filter", text));
    for (const [column, pick] of picks) controls.append(named(names[column], pick));
    controls.append(named("Sort by", choice, "epc-order"), said);
    region.before(controls);
    region.after(more);
    table.addEventListener("change", filter);
    for (const group of document.querySelectorAll(".epc-filters")) group.addEventListener("change", choose);
    choose();
  };

  for (const table of document.querySelectorAll("table:is(.epc-rows, .epc-judges)")) {
    if (table.tHead && table.tBodies[0]?.rows.length >= FEWEST) equip(table);
  }
})();
