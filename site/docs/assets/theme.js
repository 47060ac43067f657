// What the theme leaves out: its search opens as a dialog without a name.
document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
