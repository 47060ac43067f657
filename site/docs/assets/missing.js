// Where nothing is: the names that are nearest to the address, from the one file of all names.
import { addressOf, folded, load, meaning, near as nearest, suggested } from "./names.js";

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

  // What an address means, in any case of its letters, or else the names that are nearest.
  const near = async () => {
    const index = await load(false);
    const text = sought();
    const tag = [...index.tags.keys()].find((each) => folded(each) === folded(text));
    const { entry } = meaning(index, text);
    if (tag) location.replace(new URL(`snapshots/${tag}/`, home));
    else if (entry) location.replace(new URL(addressOf(entry.models.length === 1 ? entry.models[0].page : null, text), home));
    const tags = nearest(index, text).filter((each) => index.tags.has(each));
    return tags.length ? tags.map((name) => ({ name, place: `snapshots/${name}/` })) : suggested(index, text, MOST);
  };

  const show = async () => {
    const found = await near();
    if (!found.length) return;
    const list = document.createElement("ul");
    for (const { name, place: at, instead } of found) {
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
