// Buttons, places that are typed, and papers that are set aside.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const ranking = root.ranking;
  const { rows, show, point, tell, where, stays } = ranking;

  function rowOf(element) {
    const item = element.closest && element.closest(".row");
    return item ? rows.get(item.dataset.token) : undefined;
  }

  function done(row, text) {
    show(row.part);
    point(row);
    tell(text);
    ranking.changed();
  }

  function move(row, how) {
    if (ranking.step(row, how)) done(row, where(row));
    else tell(stays(row, how));
  }

  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (button) move(rowOf(button), button.dataset.move);
  });

  function typed(row) {
    const place = Math.floor(Number(row.input.value));
    if (row.input.value === "" || !(place >= 1)) {
      if (ranking.isPlaced(row) && ranking.step(row, "out")) done(row, where(row));
      else show(row.part);
    } else if (ranking.isPlaced(row) && place === row.place) {
      show(row.part);
    } else {
      const others = ranking.type(row, place);
      done(row, ranking.whereAndWhoElse(row, others));
    }
  }

  root.addEventListener("change", (event) => {
    const row = rowOf(event.target);
    if (!row || ranking.isBusy()) return;
    if (event.target === row.input) typed(row);
    if (event.target === row.box) {
      ranking.setAside(row, row.box.checked);
      done(row, where(row));
    }
  });

  // Enter would send the form.
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches(".row input")) return;
    event.preventDefault();
    if (event.target.type === "number") typed(rowOf(event.target));
  });

  Object.assign(ranking, { rowOf, move });
})();
