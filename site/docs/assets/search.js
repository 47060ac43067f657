// Whoever types a name gets its page first, in any spelling: a snapshot's id, an evaluator's name or
// alias, a platform; then documents by what they are about, their titles, terms of the glossary and
// questions of the FAQ.
//
// The theme's search takes a name apart at its hyphens and weighs its rarest part most, so that it puts
// "gpt-4.5-preview" before "gpt-4". It stays as it is; what is looked up here stands above it.
(() => {
  "use strict";
  const field = document.querySelector("[data-md-component=search-query]");
  const list = document.querySelector(".md-search-result__list");
  const config = document.getElementById("__config");
  if (!field || !list || !config) return;
  const home = new URL(`${JSON.parse(config.textContent).base.replace(/\/$/, "")}/`, location.href);
  const MOST = 5; // of each kind
  const LONG = 5; // letters, from which on a word may hold a slip
  // What a question is made of besides what it asks about.
  const QUESTION = new Set("a am an and are at can could do does for from get have how i if in is it me my of on one or should the there this to use we what when where which who why with you your".split(" "));
  // What people call a page besides its title. Words that are a page's alone come first.
  const CALLED = {
    "about/": "license licence copyright terms author cite citation bibtex reference",
    "which/": "price prices pricing cost costs cheap cheapest best recommend ranking leaderboard benchmark",
    "ci/": "github action actions workflow pipeline pre-commit scan",
    "machines/": "api rest json endpoint openapi feed rss badge",
    "simulate/": "sample size power seeds plan simulate",
    "data/": "download data csv parquet dataset export",
    "changes/": "changed changes changelog news new latest",
    "evaluators/": "judge judges model models llm list",
    "getting-started/": "install installation pip setup quickstart start measure",
    "python/": "python sdk library import",
    "succession/": "replacement replace successor successors migrate migration alternative",
    "mitigation/": "bias position order swap mitigate",
    "contributing/": "contribute contribution submit submission publish",
    "expired/": "expired retired deprecated deprecation ended",
    "compare/": "compare comparison diff versus",
    "check/": "check several requirements file paste",
  };
  const folded = (text) => text.trim().toLowerCase();

  const exact = document.createElement("ul");
  exact.className = "epc-exact";
  list.before(exact);

  const read = async (place) => (await fetch(new URL(place, home))).json();
  let loading;
  const load = async () => {
    const [names, alike] = await Promise.all(["names", "likeness"].map((name) => import(new URL(`assets/${name}.js`, home))));
    const [index, search] = await Promise.all([names.load(), read("search/search_index.json")]);
    const platforms = new Set(index.models.filter(({ page }) => page).flatMap(({ places }) => places.map(([, platform]) => platform)));
    // A title in the search's own index is markup; what it shows is its text.
    const text = (title) => new DOMParser().parseFromString(title, "text/html").body.textContent;
    const own = search.docs.filter(({ location: at }) =>
      at.includes("#") ? /^(faq|glossary)\//.test(at) : !/^(evaluators\/.|makers|snapshots\/.|functions)/.test(at));
    const documents = own.map(({ location: at, title }) => ({ at, title: text(title), called: CALLED[at] ?? "" }));
    return { ...names, ...alike, index, tags: [...index.tags.keys()], platforms, documents };
  };

  // A word without its ending: "contribute" and "contributing" are one.
  const stem = (word) => word.replace(/(ing|ion|ions|ed|es|e|s)$/, "");
  const parts = (text) => folded(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  // How well a word of a page answers one that was typed: the same, its beginning, or with a slip.
  const fit = (known, word, each) => {
    if (each === word) return 3;
    if (word.length >= LONG - 1 && stem(each).startsWith(stem(word))) return 2;
    return word.length >= LONG && known.likeness(known.grams(stem(word)), known.grams(stem(each))) >= known.ALIKE ? 1 : 0;
  };
  const titled = (known, typed) => {
    const asked = parts(typed).filter((word) => !QUESTION.has(word));
    const best = (words, word) => Math.max(0, ...words.map((each) => fit(known, word, each)));
    const scored = known.documents.map((each) => {
      const [title, called] = [parts(each.title), parts(each.called)];
      const fits = asked.map((word) => Math.max(best(title, word), best(called, word)));
      const whole = Number(title.join(" ") === parts(typed).join(" ") || each.at === `${typed}/`); // the title or address itself
      const near = parts(typed).filter((word) => title.includes(word)).length; // its other words too
      const slips = fits.filter((one) => one < 2).length;
      return { ...each, score: fits.length && fits.every(Boolean) ? [whole, -slips, called.length && asked.every((word) => best(called, word)) ? 1 : 0, near, -title.length] : null };
    });
    const order = (a, b) => b.score.map((one, at) => one - a.score[at]).find(Boolean) ?? 0;
    return scored.filter(({ score }) => score).sort(order);
  };

  const matching = (known, typed) => {
    const begun = /^v\d/.test(typed);
    const ids = known.tags.filter((tag) => folded(tag) === typed || (begun && folded(tag).startsWith(typed)));
    const judges = known.suggested(known.index, typed, MOST);
    const named = judges.filter(({ sure }) => sure);
    const pages = titled(known, typed);
    // A part of a name, or a slip in one, is looked up where it has a number, or where nothing else has that word.
    const likely = /\d/.test(typed) || (!pages.length && parts(typed).join("").length >= LONG) ? judges.filter(({ sure }) => !sure) : [];
    return [
      ...ids.slice(0, MOST).map((tag) => [`snapshots/${tag}/`, `Snapshot ${tag}`]),
      ...named.map(({ place, name }) => [place, `Evaluator ${name}`]),
      ...(known.platforms.has(typed) ? [[`evaluators/${typed}/`, `Platform ${typed}`]] : []),
      ...(/\d/.test(typed) ? [] : pages.slice(0, MOST).map(({ at, title }) => [at, title])),
      ...likely.map(({ place, name }) => [place, `Evaluator ${name}`]),
      ...(/\d/.test(typed) ? pages.slice(0, MOST).map(({ at, title }) => [at, title]) : []),
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
