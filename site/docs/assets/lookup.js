// The front page's input: judges are suggested while a name is typed, and chosen with arrow keys or a
// pointer. Without this script it is a form. What is typed stays here, and is only ever text.
import { load, suggested } from "./names.js";

{
  const home = new URL("../", import.meta.url);
  const field = document.getElementById("judge-name");
  const form = field.form;
  const MOST = 6;
  const list = Object.assign(document.createElement("ul"), { id: "judge-suggested", className: "epc-suggested", hidden: true });
  const said = Object.assign(document.createElement("p"), { className: "epc-vh" });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Judges");
  said.setAttribute("role", "status");
  form.append(list, said);
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false" })) field.setAttribute(name, value);

  let loading;
  let shown = [];
  let at = -1;
  const go = ({ place }) => location.assign(new URL(place, home));
  const close = () => {
    list.hidden = true;
    at = -1;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const mark = (place) => {
    at = place;
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    if (at < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", list.children[at].id);
  };
  const item = (found, index) => {
    const made = Object.assign(document.createElement("li"), { id: `judge-suggested-${index}` });
    const name = document.createElement("span");
    const begun = document.createElement("b");
    begun.textContent = found.name.slice(0, found.begun);
    name.append(begun, found.name.slice(found.begun));
    const state = Object.assign(document.createElement("span"), { className: `epc-status epc-${found.status}`, textContent: found.word });
    made.append(name, state);
    if (found.instead) made.append(Object.assign(document.createElement("small"), { textContent: `instead: ${found.instead}` }));
    made.setAttribute("role", "option");
    made.setAttribute("aria-selected", "false");
    made.addEventListener("mousedown", (event) => event.preventDefault());
    made.addEventListener("click", () => go(found));
    return made;
  };
  const show = async () => {
    const typed = field.value;
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    const index = await loading;
    if (typed !== field.value) return; // typed on meanwhile
    shown = suggested(index, typed, MOST);
    list.replaceChildren(...shown.map(item));
    close();
    list.hidden = !shown.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    said.textContent = typed ? `${shown.length} suggestions` : "";
  };
  const tried = () => show().catch(close); // without the list it is a form

  field.addEventListener("input", tried);
  field.addEventListener("focus", tried);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (step && shown.length) {
      event.preventDefault();
      list.hidden = false;
      field.setAttribute("aria-expanded", "true");
      mark((at + step + shown.length + (at < 0 && step < 0 ? 1 : 0)) % shown.length);
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      go(shown[at]);
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show().catch(() => { shown = []; }).then(() => {
      if (shown[0]?.sure) go(shown[0]);
      else go({ place: `check/?judge=${encodeURIComponent(field.value)}` });
    });
  });

  // An answer of some names was here once: its link leads on.
  if (new URLSearchParams(location.search).has("judge")) location.replace(new URL(`check/${location.search}`, home));
}
