// Whoever types a whole name gets its page first: a snapshot's id, an evaluator's name or alias, a
// platform; then documents, and questions of the FAQ, whose title has every word that was typed.
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
  const MOST = 5; // of each kind
  // What a question is made of besides what it asks about.
  const QUESTION = new Set("a am an and are at can could do does for from get have how i if in is it me my of on one or should the there this to use we what when where which who why with you your".split(" "));
  const folded = (text) => text.trim().toLowerCase();

  const exact = document.createElement("ul");
  exact.className = "epc-exact";
  list.before(exact);

  const read = async (place) => (await fetch(new URL(place, home))).json();
  let loading;
  const load = async () => {
    const [index, search] = await Promise.all([read("assets/names.json"), read("search/search_index.json")]);
    const names = new Map();
    const platforms = new Set();
    const add = (name, generation) => names.set(folded(name), (names.get(folded(name)) ?? new Set()).add(generation));
    for (const { name, lives } of index.generations.filter(({ listed }) => !listed)) {
      add(name, name);
      for (const life of lives) {
        platforms.add(life.platform);
        for (const spelt of [name, ...life.names]) {
          add(spelt, name);
          add(`${life.platform}/${spelt}`, name);
        }
      }
    }
    // A title in the search's own index is markup; what it shows is its text.
    const text = (title) => new DOMParser().parseFromString(title, "text/html").body.textContent;
    const own = search.docs.filter(({ location: at }) =>
      at.includes("#") ? at.startsWith("faq/") : !/^(evaluators|snapshots|functions)\//.test(at));
    const documents = own.map(({ location: at, title }) => ({ at, title: text(title) }));
    return { tags: index.snapshots.map(({ tag }) => tag), names, platforms, documents };
  };

  // A word without its ending: "contribute" and "contributing" are one.
  const stem = (word) => word.replace(/(ing|ion|ions|ed|es|e|s)$/, "");
  const parts = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const titled = (documents, typed) => {
    const words = parts(typed);
    const asked = words.filter((word) => !QUESTION.has(word)).map(stem);
    if (!asked.length || asked.some((word) => word.length < 4)) return [];
    const has = ({ title }, word) => parts(title).some((each) => stem(each).startsWith(word));
    const near = (each) => words.filter((word) => has(each, stem(word))).length;
    // The title that has most of the question's other words too stands first.
    return documents.filter((each) => asked.every((word) => has(each, word))).sort((a, b) => near(b) - near(a));
  };

  const matching = ({ tags, names, platforms, documents }, typed) => {
    const begun = /^v\d/.test(typed);
    const ids = tags.filter((tag) => folded(tag) === typed || (begun && folded(tag).startsWith(typed)));
    return [
      ...ids.slice(0, MOST).map((tag) => [`snapshots/${tag}/`, `Snapshot ${tag}`]),
      ...[...(names.get(typed) ?? [])].map((name) => [`evaluators/${name}/`, `Evaluator ${name}`]),
      ...(platforms.has(typed) ? [[`evaluators/${typed}/`, `Platform ${typed}`]] : []),
      ...titled(documents, typed).slice(0, MOST).map(({ at, title }) => [at, title]),
    ];
  };

  const show = async () => {
    const typed = folded(field.value);
    loading ??= load();
    const known = await loading;
    if (typed !== folded(field.value)) return; // typed on meanwhile
    exact.replaceChildren(
      ...(typed ? matching(known, typed) : []).map(([place, title]) => {
        const link = document.createElement("a");
        link.className = "md-search-result__link";
        link.href = new URL(place, home);
        link.textContent = title;
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
