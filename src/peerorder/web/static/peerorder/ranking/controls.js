// The menu of a row, its buttons, typed places, and papers that cannot be judged.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const ranking = root.ranking;
  const { rows, render, highlight, announce, position, reasonUnmoved } = ranking;

  function rowOf(element) {
    const item = element.closest && element.closest(".row");
    return item ? rows.get(item.dataset.token) : undefined;
  }

  function finish(row, text) {
    render(row.part);
    highlight(row);
    announce(text);
    ranking.changed();
  }

  function move(row, how) {
    if (ranking.step(row, how)) finish(row, position(row));
    else announce(reasonUnmoved(row, how));
  }

  // One menu is open at a time.
  function toggleMenu(row, open) {
    for (const each of rows.values()) {
      const expanded = each === row && open;
      each.more.setAttribute("aria-expanded", expanded);
      each.menu.hidden = !expanded;
    }
    if (open) row.menu.scrollIntoView({ block: "nearest" });
  }
  for (const row of rows.values()) row.menu.hidden = true;

  root.addEventListener("click", (event) => {
    const row = rowOf(event.target);
    if (!row) return;
    if (row.more.contains(event.target)) toggleMenu(row, row.menu.hidden);
    const button = event.target.closest("[data-move]");
    if (button) move(row, button.dataset.move);
  });

  function place(row) {
    const typed = Math.floor(Number(row.input.value));
    if (row.input.value === "" || !(typed >= 1)) {
      if (ranking.isPlaced(row) && ranking.step(row, "out")) finish(row, position(row));
      else render(row.part);
    } else if (ranking.isPlaced(row) && typed === row.place) {
      render(row.part);
    } else {
      const others = ranking.placeAt(row, typed);
      finish(row, ranking.positionAndShifts(row, others));
    }
  }

  root.addEventListener("change", (event) => {
    const row = rowOf(event.target);
    if (!row || ranking.isRendering()) return;
    if (event.target === row.input) place(row);
    if (event.target === row.box) {
      ranking.setAside(row, row.box.checked);
      finish(row, position(row));
    }
  });

  root.addEventListener("keydown", (event) => {
    const row = rowOf(event.target);
    if (row && event.key === "Escape" && row.menu.contains(event.target)) {
      toggleMenu(row, false);
      row.more.focus();
    }
    // Enter would submit the form.
    if (!row || event.key !== "Enter" || !event.target.matches("input")) return;
    event.preventDefault();
    if (event.target === row.input) place(row);
    if (event.target === row.note) {
      toggleMenu(row, false);
      row.more.focus();
    }
  });

  Object.assign(ranking, { rowOf, move });
})();
