// Whoever types an evaluator's whole name gets its page first.
//
// The search takes a name apart at its hyphens and weighs its rarest part most, so that it puts
// "gpt-4.5-preview" before "gpt-4". It stays as it is; a whole name is looked up beside it.
(() => {
  "use strict";
  const field = document.querySelector("[data-md-component=search-query]");
  const list = document.querySelector(".md-search-result__list");
  const config = document.getElementById("__config");
  if (!field || !list || !config) return;
  const home = new URL(`${JSON.parse(config.textContent).base}/`, location.href);
  const folded = (text) => text.trim().toLowerCase();

  const exact = document.createElement("ul");
  exact.className = "epc-exact";
  list.before(exact);

  // What the search itself has loaded: names and aliases are the tags of an evaluator's page.
  let loading;
  const load = async () => {
    const answer = await fetch(new URL("search/search_index.json", home));
    const pages = new Map();
    for (const { location: place, title, tags = [] } of (await answer.json()).docs) {
      if (!place.startsWith("evaluators/") || place.includes("#")) continue;
      for (const name of tags.map(folded)) {
        pages.set(name, [...(pages.get(name) ?? []), { place, title }]);
      }
    }
    return pages;
  };

  const show = async () => {
    const typed = folded(field.value);
    loading ??= load();
    const pages = await loading;
    if (typed !== folded(field.value)) return; // typed on meanwhile
    exact.replaceChildren(
      ...(pages.get(typed) ?? []).map(({ place, title }) => {
        const link = document.createElement("a");
        link.className = "md-search-result__link";
        link.href = new URL(place, home);
        // A title in the search's own index is markup; what it shows is its text.
        link.textContent = `Evaluator ${new DOMParser().parseFromString(title, "text/html").body.textContent}`;
        const item = document.createElement("li");
        item.append(link);
        return item;
      }),
    );
  };
  field.addEventListener("input", show);
  field.addEventListener("focus", show);
  field.form?.addEventListener("reset", () => exact.replaceChildren());
  if (field.value) show(); // an address with ?q= has filled it already
})();
