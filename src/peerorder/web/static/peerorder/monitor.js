// The monitor asks again every few seconds; not while nobody looks at it, and not while somebody types or opens a list.
"use strict";

document.addEventListener("htmx:beforeRequest", (event) => {
  const part = event.detail.elt;
  if (!part.matches("[data-live]")) return;
  const busy = part.contains(document.activeElement) && document.activeElement.matches("input, select");
  if (document.hidden || busy) event.preventDefault();
});

// What was unfolded stays so.
document.addEventListener("htmx:beforeSwap", (event) => {
  const open = event.detail.target.querySelector("details")?.open;
  if (open) document.addEventListener("htmx:afterSettle", () => {
    const now = document.querySelector("#monitor-live details");
    if (now) now.open = true;
  }, { once: true });
});
