// Where nothing is: the names that are nearest to the address, from the one file of all names.
import { ALIKE, grams, likeness } from "./likeness.js";
import { insteadOf, load } from "./names.js";

(() => {
  const place = document.getElementById("epc-near");
  const home = new URL("../", import.meta.url);
  const MOST = 5;
  const KINDS = /^\/?(?:api\/v1\/)?(?:evaluators|snapshots|badges|calendars|feeds)\//;

  const sought = () => {
    let path = location.pathname;
    try {
      path = decodeURIComponent(path);
    } catch {
      // Nobody's spelling: it is compared as it stands.
    }
    const inside = path.startsWith(home.pathname) ? path.slice(home.pathname.length) : path;
    return inside.replace(KINDS, "").replace(/(\/|\/index\.html|\.html|\.json|\.svg|\.ics|\.xml)$/, "");
  };

  // The names that an address may mean: those spelt so, whatever the letters' case, or the nearest.
  const near = async () => {
    const index = await load();
    const targets = new Map(); // what is shown, and where it may lead
    const add = (name, at) => targets.set(name, (targets.get(name) ?? new Set()).add(at));
    for (const { tag } of index.snapshots) add(tag, `snapshots/${tag}/`);
    for (const { name, lives, listed } of index.generations) {
      for (const spelt of [name, ...lives.flatMap(({ platform, names }) => [...names, ...names.map((own) => `${platform}/${own}`)])]) {
        const alone = lives.some(({ family }) => family) ? `check/?judge=${encodeURIComponent(spelt)}` : "evaluators/catalogue/";
        add(spelt, listed ? alone : `evaluators/${name}/`);
      }
    }
    const spelt = [...targets].filter(([name]) => name.toLowerCase() === sought().toLowerCase());
    const [first, ...others] = new Set(spelt.flatMap(([, places]) => [...places]));
    // What a name of several models means is answered on its own page.
    if (first) location.replace(new URL(others.length ? `check/?judge=${encodeURIComponent(sought())}` : first, home));
    const asked = grams(sought());
    const found = [...targets].map(([name, [at]]) => ({ name, at, score: likeness(asked, name) }));
    found.sort((a, b) => b.score - a.score || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
    const seen = new Set();
    const nearest = found.filter(({ at, score }) => score >= ALIKE && !seen.has(at) && seen.add(at)).slice(0, MOST);
    return nearest.map(({ name, at }) => ({ name, at, instead: index.tags.has(name) ? undefined : insteadOf(index, name) }));
  };

  const show = async () => {
    const found = await near();
    if (!found.length) return;
    const list = document.createElement("ul");
    for (const { name, at, instead } of found) {
      const link = document.createElement("a");
      link.href = new URL(at, home);
      link.textContent = name;
      const item = document.createElement("li");
      item.append(link, instead ? `, instead: ${instead}` : "");
      list.append(item);
    }
    const title = document.createElement("h2");
    title.textContent = "Did you mean one of these?";
    place.replaceChildren(title, list);
  };
  show();
})();
