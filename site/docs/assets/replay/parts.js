// What the living figure is made of: elements, numbers, and the table that holds what is computed
// here beside what is published.

// ARIA that Chromium reflects and older browsers do not is set as an attribute.
export const make = (name, given = {}, ...content) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key === "role") made.setAttribute("role", value);
    else if (key.startsWith("aria")) made.setAttribute(`aria-${key.slice(4).toLowerCase()}`, value);
    else made[key] = value;
  }
  made.append(...content);
  return made;
};

export const number = (value, isSigned = false) => {
  const rounded = value.toFixed(3);
  const text = Number(rounded) === 0 ? "0.000" : rounded;
  const made = make("data", { value: String(value), title: String(value) }, isSigned && Number(text) > 0 ? `+${text}` : text);
  return made;
};

const FIGURES = [
  ["gamma", "gamma"],
  ["floor", "noise floor"],
  ["excess", "excess coupling"],
  ["redirected", "choices redirected, for these tasks"],
  ["regret", "regret, for these tasks"],
];

// A table with a row for each figure of each direction. `fill` puts in what was computed here.
export const comparison = (published, directions) => {
  const caption = make("caption", {});
  const columns = ["Figure", "Published", "Here", "Moved"];
  const head = make("tr", {}, ...columns.map((text) => make("th", { scope: "col" }, text)));
  const rows = directions.flatMap((direction) =>
    FIGURES.filter(([key]) => published[direction]?.[key] != null).map(([key, title]) => {
      const stated = published[direction][key];
      const [here, moved] = [make("td", {}), make("td", {})];
      const row = make(
        "tr",
        {},
        make("th", { scope: "row" }, title, " ", make("span", { className: "epc-direction" }, direction.replaceAll("_", " "))),
        make("td", {}, number(stated)),
        here,
        moved,
      );
      row.dataset.figure = `${key}/${direction}`;
      return { row, key, direction, stated, here, moved };
    }),
  );
  const body = make("tbody", {}, ...rows.map(({ row }) => row));
  const table = make("table", { className: "epc-living-figures" }, caption, make("thead", {}, head), body);
  const part = make("div", { className: "epc-scroll", role: "region", tabIndex: 0, ariaLabel: "Figures, published and here" }, table);

  const fill = (figures, isChanged, note) => {
    table.classList.toggle("epc-living-changed", isChanged);
    caption.textContent = note;
    for (const { key, direction, stated, here, moved } of rows) {
      if (!figures) {
        here.textContent = moved.textContent = "none";
        continue;
      }
      const value = figures[direction][key];
      here.replaceChildren(number(value));
      moved.replaceChildren(value === stated ? "same bits" : number(value - stated, true));
    }
  };
  return { part, fill };
};
