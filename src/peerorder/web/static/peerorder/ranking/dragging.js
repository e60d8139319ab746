// Mouse and touch. The row follows the pointer; a line shows where it would go.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const ranking = root.ranking;
  const { rowOf, render } = ranking;
  let drag = null;
  const line = document.createElement("li");
  line.className = "drop-line";
  line.setAttribute("aria-hidden", "true");

  root.addEventListener("pointerdown", (event) => {
    const row = rowOf(event.target);
    if (!row || event.button !== 0 || drag) return;
    const onHandle = event.target.closest(".handle");
    // A finger anywhere else scrolls the page.
    if (!onHandle && (event.pointerType !== "mouse" || event.target.closest("button, input, label, .row-actions"))) return;
    drag = { row, id: event.pointerId, startY: event.clientY, y: event.clientY, on: false, shift: 0 };
    drag.grab = event.clientY - row.item.getBoundingClientRect().top;
  });

  function begin() {
    drag.on = true;
    // Not before: a click on the name of a paper leads to it.
    drag.row.handle.setPointerCapture(drag.id);
    drag.row.item.classList.remove("moved");
    drag.row.item.classList.add("dragging");
    drag.row.part.section.classList.add("drag-here");
    for (const box of drag.row.part.section.querySelectorAll(".unplaced-box, .unjudged-box")) box.hidden = false;
    requestAnimationFrame(follow);
  }

  // Every frame: scroll where the pointer is near an end, move the row, find its place.
  function follow() {
    if (!drag || !drag.on) return;
    const bar = root.querySelector(".rank-bar").offsetHeight;
    const panel = root.querySelector(".rank-order");
    const box = panel.scrollHeight > panel.clientHeight + 1 ? panel.getBoundingClientRect() : null;
    const top = Math.max(0, box ? box.top : 0) + 50;
    const bottom = Math.min(innerHeight - bar, box ? box.bottom : innerHeight) - 50;
    const by = drag.y < top ? (drag.y - top) / 4 : drag.y > bottom ? (drag.y - bottom) / 4 : 0;
    if (by) (box ? panel : window).scrollBy(0, Math.max(-16, Math.min(16, by)));
    const item = drag.row.item;
    const natural = item.getBoundingClientRect().top - drag.shift;
    drag.shift = drag.y - drag.grab - natural;
    item.style.transform = `translateY(${drag.shift}px)`;
    findTarget();
    requestAnimationFrame(follow);
  }

  function findTarget() {
    const { row, y } = drag;
    let best = null;
    for (const list of row.part.section.querySelectorAll("[data-list]")) {
      const area = list.getBoundingClientRect();
      const far = y < area.top ? area.top - y : y > area.bottom ? y - area.bottom : 0;
      if (!best || far < best.far) best = { list, far };
    }
    const others = [...best.list.querySelectorAll(".row")].filter((item) => item !== row.item);
    const before = others.filter((item) => {
      const area = item.getBoundingClientRect();
      return (area.top + area.bottom) / 2 < y;
    });
    drag.list = best.list.dataset.list;
    drag.index = before.length;
    const after = others[drag.index] || null;
    if (line.parentNode !== best.list || line.nextElementSibling !== after) best.list.insertBefore(line, after);
  }

  function finish(drop) {
    const { row, on, list, index } = drag;
    drag = null;
    if (!on) return;
    line.remove();
    row.item.classList.remove("dragging");
    row.item.style.transform = "";
    row.part.section.classList.remove("drag-here");
    const before = JSON.stringify(ranking.content());
    if (drop && list !== undefined) {
      ranking.drop(row, list, index);
      ranking.announce(ranking.position(row));
    }
    render(row.part);
    if (JSON.stringify(ranking.content()) !== before) ranking.changed();
  }

  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    drag.y = event.clientY;
    if (!drag.on && Math.abs(drag.y - drag.startY) > 4) begin();
  });
  root.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    drag.y = event.clientY;
    if (drag.on) findTarget();
    finish(true);
  });
  root.addEventListener("pointercancel", (event) => { if (drag && event.pointerId === drag.id) finish(false); });
  document.addEventListener("keydown", (event) => { if (drag && event.key === "Escape") finish(false); });
})();
