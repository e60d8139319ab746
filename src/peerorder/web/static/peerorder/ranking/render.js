// Render the order as it stands. The fields of the form follow it, so that handing in is a plain form.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { rows, parts, canStep, format } = root.ranking;

  // A field that was typed in fires a change event once more when it is moved, which must be ignored.
  let rendering = false;

  function render(part) {
    rendering = true;
    const focused = document.activeElement;
    const lists = { order: part.order.flat(), unplaced: part.unplaced, unjudged: part.unjudged };
    for (const [name, wanted] of Object.entries(lists)) {
      const list = part.section.querySelector(`[data-list=${name}]`);
      if (!list) continue;
      wanted.forEach((row, index) => {
        if (list.children[index] !== row.item) list.insertBefore(row.item, list.children[index] || null);
      });
    }
    for (const row of part.rows) renderRow(row, part.order.find((group) => group.includes(row)));
    part.section.querySelector(".drop-here").hidden = part.order.length > 0;
    part.section.querySelector(".unplaced-box").hidden = part.unplaced.length === 0;
    const unjudged = part.section.querySelector(".unjudged-box");
    if (unjudged) unjudged.hidden = part.unjudged.length === 0;
    if (focused && focused !== document.activeElement && root.contains(focused)) focused.focus();
    rendering = false;
    renderProgress();
  }

  function renderRow(row, group) {
    const unjudged = row.part.unjudged.includes(row);
    const size = group ? group.length : 0;
    row.input.value = group ? row.place : "";
    row.item.classList.toggle("tied", size > 1 && group[0] !== row);
    row.item.classList.toggle("in-tie", size > 1);
    row.item.querySelector(".tied-tag").hidden = size < 2;
    if (row.tie) row.tie.textContent = format(size > 1 ? "untie" : "tie");
    if (row.box) row.box.checked = unjudged;
    // A button that is pressed keeps the focus when there is nothing more for it to do.
    for (const button of row.moves) button.setAttribute("aria-disabled", !canStep(row, button.dataset.move));
    row.compare.setAttribute("aria-disabled", !row.item.previousElementSibling);
    if (group || unjudged) {
      row.item.querySelector(".errorlist")?.remove();
      row.input.removeAttribute("aria-invalid");
    }
  }

  // Show at a glance what moved.
  function highlight(row) {
    row.item.scrollIntoView({ block: "nearest" });
    row.item.classList.remove("moved");
    void row.item.offsetWidth;
    row.item.classList.add("moved");
  }

  function renderProgress() {
    const aside = parts.reduce((sum, part) => sum + part.unjudged.length, 0);
    const placed = parts.reduce((sum, part) => sum + part.order.flat().length, 0);
    const all = rows.size;
    root.querySelector("#progress").value = placed + aside;
    const areas = [...root.querySelectorAll("textarea[name^=comment-]")];
    const needed = areas.length && Number(root.dataset.least);
    const comments = needed ? format("comments", { written: areas.filter(isLongEnough).length, all: all - aside }) : "";
    const opened = format("opened", { opened: root.querySelectorAll(".paper[data-opened]").length });
    const places = [format("placed", { placed, all })];
    if (aside) places.push(format("aside", { aside }));
    let said = [...places, comments, root.dataset.save ? opened : ""];
    if (matchMedia("(max-width: 40rem)").matches) {
      // A phone has room for what is to be done next.
      if (comments && placed + aside === all) said = [comments];
      else said = aside ? [format("dealt", { dealt: placed + aside, all })] : places;
    }
    root.querySelector(".far").textContent = said.filter(Boolean).join(" · ");
  }

  // Whether a comment on a paper that needs one is long enough.
  function isLongEnough(area) {
    const row = rows.get(area.name.slice("comment-".length));
    return row && !row.part.unjudged.includes(row) && area.value.trim().length >= Number(root.dataset.least);
  }

  Object.assign(root.ranking, { render, renderProgress, highlight, isRendering: () => rendering });
  root.classList.add("live");
  for (const part of parts) render(part);

  // Help is open until somebody has ordered papers on this device, or has closed it.
  const help = document.getElementById("how-to");
  const key = "peerorder.ranking.help";
  const remember = () => { try { localStorage.setItem(key, "closed"); } catch { /* The device has no room. */ } };
  if (localStorage.getItem(key)) help.open = false;
  help.addEventListener("toggle", () => { if (!help.open) remember(); });
  root.addEventListener("ranked", remember, { once: true });
})();
