// Pictures that answer to a pointer. Each is in the page already, drawn when the site was built;
// when it comes near the reader, the same specification is drawn again by Vega-Embed.
(() => {
  "use strict";
  const places = [...document.querySelectorAll(".epc-drawn[data-picture]")];
  if (!places.length || navigator.connection?.saveData) return;

  const home = document.currentScript.src;
  let loading = null;
  const vega = () =>
    (loading ??= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = new URL("vega-embed.js", home).href;
      script.onload = () => done(window.vegaEmbed);
      script.onerror = failed;
      document.head.append(script);
    }));

  // All pictures of a page are one file; where there is none, what was drawn before stays.
  let loaded = null;
  const all = () =>
    (loaded ??= fetch("pictures.json").then((answer) => answer.json()));

  // Expressions are walked, not compiled, so that no policy has to allow eval.
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    ast: true,
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
  };

  const enliven = async (place) => {
    const drawn = place.querySelector("svg");
    const [embed, pictures] = await Promise.all([vega(), all()]);
    const lively = document.createElement("div");
    await embed(lively, pictures[place.dataset.picture].specification, options);
    const own = lively.querySelector("svg");
    // The picture has one name as a whole; what Vega says of its parts would be said twice.
    for (const part of own.querySelectorAll("*")) {
      for (const name of part.getAttributeNames()) {
        if (name === "role" || name.startsWith("aria-")) part.removeAttribute(name);
      }
    }
    own.setAttribute("role", "img");
    own.setAttribute("aria-label", drawn.getAttribute("aria-label"));
    own.classList.add("epc-picture");
    drawn.replaceWith(lively);
    place.dataset.lively = "";
  };

  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        seen.unobserve(entry.target);
        enliven(entry.target).catch(() => {}); // what was drawn before stays
      }
    },
    { rootMargin: "200px" },
  );
  for (const place of places) seen.observe(place);
})();
