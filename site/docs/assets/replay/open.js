// The figure that is replayed loads when the reader opens it, and not before.
(() => {
  "use strict";
  const home = document.currentScript.src;
  for (const place of document.querySelectorAll(".epc-living")) {
    const opened = async () => {
      if (!place.open) return;
      place.removeEventListener("toggle", opened);
      const { show } = await import(new URL("figure.js", home).href);
      show(place);
    };
    place.addEventListener("toggle", opened);
    opened(); // a reload may find it open
  }
})();
