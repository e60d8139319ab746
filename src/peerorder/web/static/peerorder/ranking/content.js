// What the page says, orders, comments and notes together: to save it, to load something else, to put it in words.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { rows, parts, renumber, render, renderProgress, format } = root.ranking;
  const least = Number(root.dataset.least);
  const areas = [...root.querySelectorAll("textarea[name^=comment-]")];
  const tokenOf = (area) => area.name.slice("comment-".length);

  const changed = () => root.dispatchEvent(new CustomEvent("ranked"));

  function renderCount(area) {
    const count = area.value.trim().length;
    const card = area.closest(".paper");
    // No comment is needed on a paper that cannot be judged.
    const row = rows.get(tokenOf(area));
    const unjudged = row && row.part.unjudged.includes(row);
    const short = least && count < least && !unjudged;
    card.querySelector(".count").textContent = unjudged && !count ? format("needless") : format(short ? "short" : "characters", { count, least });
    card.querySelector(".least")?.toggleAttribute("hidden", Boolean(unjudged));
    if (unjudged || count >= least) {
      card.querySelector(".errorlist")?.remove();
      area.removeAttribute("aria-invalid");
    }
  }
  for (const area of areas) {
    renderCount(area);
    area.addEventListener("input", () => { renderCount(area); renderProgress(); changed(); });
  }
  root.addEventListener("ranked", () => areas.forEach(renderCount));

  const noteOf = (row) => row.note.value.trim().replace(/\s+/g, " ");
  function renderNote(row) {
    const line = row.item.querySelector(".note");
    line.textContent = noteOf(row);
    line.hidden = !line.textContent;
  }
  for (const row of rows.values()) row.note.addEventListener("input", () => { renderNote(row); changed(); });

  function content() {
    const said = { orders: {}, unjudged: [], comments: {}, notes: {} };
    for (const part of parts) {
      if (part.order.length) said.orders[part.number] = part.order.map((group) => group.map((row) => row.token));
      said.unjudged.push(...part.unjudged.map((row) => row.token));
    }
    for (const area of areas) if (area.value.trim()) said.comments[tokenOf(area)] = area.value;
    for (const row of rows.values()) if (noteOf(row)) said.notes[row.token] = noteOf(row);
    return said;
  }

  function load(said) {
    for (const part of parts) {
      const known = (tokens) => tokens.map((token) => rows.get(token)).filter((row) => row && row.part === part);
      part.order = (said.orders[part.number] || []).map(known).filter((group) => group.length);
      part.unjudged = known(said.unjudged);
      const there = new Set([...part.order.flat(), ...part.unjudged]);
      part.unplaced = part.rows.filter((row) => !there.has(row));
      renumber(part);
      render(part);
    }
    for (const area of areas) {
      area.value = said.comments[tokenOf(area)] || "";
      renderCount(area);
    }
    // What an earlier version of this page left on the device has none.
    if (said.notes) {
      for (const row of rows.values()) {
        row.note.value = said.notes[row.token] || "";
        renderNote(row);
      }
    }
    renderProgress();
  }

  // Line by line, for somebody who must choose between two.
  function describe(said) {
    const name = (token) => (rows.has(token) ? rows.get(token).name : "?");
    const lines = [];
    for (const part of parts) {
      let place = 1;
      for (const group of said.orders[part.number] || []) {
        lines.push(`${place}. ` + group.map(name).reduce((one, other) => format("and", { one, other })));
        place += group.length;
      }
    }
    for (const token of said.unjudged) lines.push(format("unjudged", { paper: name(token) }));
    for (const [token, text] of Object.entries(said.comments)) lines.push(`${name(token)}: ${text}`);
    for (const [token, text] of Object.entries(said.notes || {})) lines.push(format("note", { paper: name(token), text }));
    return lines.length ? lines : [format("nothing")];
  }

  Object.assign(root.ranking, { changed, content, load, describe });
})();
