// The keyboard: Space picks a paper up by its dots, keys move it, Space drops it, Escape puts it back.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const ranking = root.ranking;
  const { rowOf, render, highlight, format, announce, position, reasonUnmoved } = ranking;
  const KEYS = { ArrowUp: "up", ArrowDown: "down", Home: "top", End: "bottom", "=": "tie" };
  let picked = null;

  function pickUp(row) {
    picked = { row, before: ranking.copyOf(row.part), moved: false };
    row.item.classList.add("picked");
    row.handle.setAttribute("aria-pressed", "true");
    announce(format("picked", { where: row.part.unplaced.includes(row) ? row.name : position(row) }));
  }

  function release(back) {
    const { row, before, moved } = picked;
    picked = null;
    row.item.classList.remove("picked");
    row.handle.setAttribute("aria-pressed", "false");
    if (back) {
      ranking.restore(row.part, before);
      render(row.part);
    }
    announce(format(back ? "back" : "dropped", { where: position(row) }));
    if (!back && moved) ranking.changed();
  }

  function carry(row, how) {
    if (ranking.step(row, how)) {
      picked.moved = true;
      render(row.part);
      highlight(row);
      announce(position(row));
    } else {
      announce(reasonUnmoved(row, how));
    }
  }

  root.addEventListener("keydown", (event) => {
    const row = rowOf(event.target);
    if (!row) return;
    const onHandle = event.target === row.handle;
    const how = KEYS[event.key];
    if (event.altKey && (how === "up" || how === "down")) {
      ranking.move(row, how);
    } else if (onHandle && (event.key === " " || event.key === "Enter")) {
      if (!event.repeat && picked) release(false);
      else if (!event.repeat) pickUp(row);
    } else if (onHandle && picked && event.key === "Escape") {
      release(true);
    } else if (onHandle && picked && how) {
      carry(row, how);
    } else {
      return;
    }
    event.preventDefault();
  });

  // Firefox presses a button when Space is let go.
  root.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.matches(".handle")) event.preventDefault();
  });
  root.addEventListener("focusout", (event) => {
    // A row that moves loses the focus for a moment, and gets it back.
    const from = picked;
    if (from && event.target === from.row.handle) {
      setTimeout(() => { if (picked === from && document.activeElement !== from.row.handle) release(false); }, 0);
    }
  });
})();
