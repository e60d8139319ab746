// The monitor is loaded again every few seconds, but not while nobody looks at it, types in it or has a menu open.
"use strict";

document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if (!part.matches("[data-live]")) return;
  const typing = part.contains(document.activeElement) && document.activeElement.matches("input, select");
  const busy = typing || part.querySelector(".row-menu[open]");
  if (document.hidden || busy) event.preventDefault();
});

// What is unfolded stays unfolded.
document.addEventListener("htmx:beforeSwap", (event) => {
  const open = event.detail.target.querySelector("details:not(.row-menu)")?.open;
  if (open) document.addEventListener("htmx:afterSettle", () => {
    const now = document.querySelector("#monitor-live details:not(.row-menu)");
    if (now) now.open = true;
  }, { once: true });
});
