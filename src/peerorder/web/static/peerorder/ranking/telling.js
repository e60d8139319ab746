// Every move in words: for everybody in the line above the order, and so for those who hear the page.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { groupOf } = root.ranking;
  const texts = JSON.parse(root.dataset.texts);
  const line = document.getElementById("moves");
  const fill = (name, values = {}) => texts[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const names = (some) => some.map((row) => row.name).reduce((one, other) => fill("and", { one, other }));
  const MOST_NAMES = 3;

  // Emptied first, so that the same words are heard twice.
  let waiting;
  function tell(text) {
    clearTimeout(waiting);
    line.textContent = "";
    waiting = setTimeout(() => { line.textContent = text; }, 40);
  }

  function where(row) {
    const part = row.part;
    if (part.unplaced.includes(row)) return fill("unplaced", { paper: row.name });
    if (part.unjudged.includes(row)) return fill("unjudged", { paper: row.name });
    const at = groupOf(row);
    const end = part.order[part.order.length - 1];
    const values = { paper: row.name, place: row.place, all: end[0].place + end.length - 1 };
    const tied = part.order[at].filter((each) => each !== row);
    if (tied.length) return fill("tied", { ...values, other: names(tied) });
    if (part.order[at + 1]) return fill("above", { ...values, other: names(part.order[at + 1]) });
    if (part.order[at - 1]) return fill("below", { ...values, other: names(part.order[at - 1]) });
    return fill("only", values);
  }

  // Where a paper is, and who made room for it.
  function whereAndWhoElse(row, { down, up }) {
    const some = (moved) => (moved.length > MOST_NAMES ? fill("others", { many: moved.length }) : names(moved));
    let text = where(row);
    if (down.length) text = fill("down", { where: text, others: some(down) });
    if (up.length) text = fill("up", { where: text, others: some(up) });
    return text;
  }

  // Why nothing moved.
  const stays = (row, how) => fill(how === "down" || how === "bottom" ? "last" : "first", { paper: row.name });

  Object.assign(root.ranking, { fill, tell, where, whereAndWhoElse, stays });
})();
