// What the theme leaves out for those who do not see the page, or use no pointer.
(() => {
  "use strict";
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");

  const mend = () => {
    // What is wider than its place can be pushed sideways from the keyboard too.
    for (const place of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) {
      place.tabIndex = place.scrollWidth > place.clientWidth ? 0 : -1;
    }
    // Each listing has a navigation of its own; they are told apart by a name.
    document.querySelectorAll("nav.md-code__nav").forEach((place, index) => {
      place.setAttribute("aria-label", `Listing ${index + 1}`);
    });
  };
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
  addEventListener("resize", mend);
  document.addEventListener("toggle", mend, true); // what was folded has a width now
  mend();
})();
