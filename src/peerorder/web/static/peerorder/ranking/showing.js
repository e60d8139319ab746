// Show the order as it stands. The boxes and ticks of the form follow it, so that handing in is a plain form.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { rows, parts, fill } = root.ranking;

  // A field that was typed in tells of its change once more when it is moved; nobody should listen then.
  let busy = false;

  function show(part) {
    busy = true;
    const focused = document.activeElement;
    const lists = { order: part.order.flat(), unplaced: part.unplaced, unjudged: part.unjudged };
    for (const [name, wanted] of Object.entries(lists)) {
      const list = part.section.querySelector(`[data-list=${name}]`);
      if (!list) continue;
      wanted.forEach((row, at) => {
        if (list.children[at] !== row.item) list.insertBefore(row.item, list.children[at] || null);
      });
    }
    for (const row of part.rows) showRow(row, part.order.find((group) => group.includes(row)));
    part.section.querySelector(".drop-here").hidden = part.order.length > 0;
    part.section.querySelector(".unplaced-box").hidden = part.unplaced.length === 0;
    const beside = part.section.querySelector(".unjudged-box");
    if (beside) beside.hidden = part.unjudged.length === 0;
    if (focused && focused !== document.activeElement && root.contains(focused)) focused.focus();
    busy = false;
    showProgress();
  }

  function showRow(row, group) {
    const aside = row.part.unjudged.includes(row);
    const many = group ? group.length : 0;
    row.input.value = group ? row.place : "";
    row.item.classList.toggle("tied", many > 1 && group[0] !== row);
    row.item.classList.toggle("in-tie", many > 1);
    row.item.querySelector(".tied-tag").hidden = many < 2;
    if (row.tie) row.tie.textContent = fill(many > 1 ? "untie" : "tie");
    if (row.box) row.box.checked = aside;
    if (group || aside) {
      row.item.querySelector(".errorlist")?.remove();
      row.input.removeAttribute("aria-invalid");
    }
  }

  // A glance shows what moved.
  function point(row) {
    row.item.scrollIntoView({ block: "nearest" });
    row.item.classList.remove("moved");
    void row.item.offsetWidth;
    row.item.classList.add("moved");
  }

  // How far it is.
  function showProgress() {
    const aside = parts.reduce((many, part) => many + part.unjudged.length, 0);
    const placed = parts.reduce((many, part) => many + part.order.flat().length, 0);
    const all = rows.size;
    root.querySelector("#progress").value = placed + aside;
    const areas = [...root.querySelectorAll("textarea[name^=comment-]")];
    const needed = areas.length && Number(root.dataset.least);
    const comments = needed ? fill("comments", { written: areas.filter(isDone).length, all: all - aside }) : "";
    const opened = fill("opened", { opened: root.querySelectorAll(".paper[data-opened]").length });
    const places = [fill("placed", { placed, all })];
    if (aside) places.push(fill("aside", { aside }));
    let said = [...places, comments, root.dataset.save ? opened : ""];
    if (matchMedia("(max-width: 40rem)").matches) {
      // A phone has room for what is to be done next.
      if (comments && placed + aside === all) said = [comments];
      else said = aside ? [fill("dealt", { dealt: placed + aside, all })] : places;
    }
    const text = said.filter(Boolean).join(" · ");
    root.querySelector(".far").textContent = text;
  }

  // A comment that is long enough, on a paper that needs one.
  function isDone(area) {
    const row = rows.get(area.name.slice("comment-".length));
    return row && !row.part.unjudged.includes(row) && area.value.trim().length >= Number(root.dataset.least);
  }

  // A paper that was unfolded and came is read.
  root.addEventListener("htmx:afterRequest", (event) => {
    const card = event.target.closest(".paper");
    if (!card || !event.detail.successful) return;
    card.dataset.opened = "yes";
    card.querySelector(".read-tag").hidden = false;
    showProgress();
  });

  // One that did not come: the reader says why, and it comes when there is a connection again.
  const failed = new Set();
  root.addEventListener("htmx:sendError", (event) => {
    const reader = event.target.querySelector(".reader");
    if (!reader) return;
    const line = document.createElement("p");
    line.className = "message warning";
    line.setAttribute("role", "status");
    line.textContent = fill("unread", { paper: reader.dataset.name });
    reader.replaceChildren(line);
    failed.add(event.target);
  });
  addEventListener("online", () => {
    for (const details of failed) htmx.ajax("GET", details.getAttribute("hx-get"), { source: details, target: details.querySelector(".reader") });
    failed.clear();
  });

  // Where something was missing the page comes back, with the papers unfolded that were.
  const kept = "peerorder.unfolded";
  document.getElementById("ranking")?.addEventListener("submit", () => {
    const open = [...root.querySelectorAll("details.read[open]")].map((each) => each.closest(".paper").id);
    sessionStorage.setItem(kept, JSON.stringify(open));
  });
  addEventListener("load", () => {
    const open = JSON.parse(sessionStorage.getItem(kept) || "[]");
    sessionStorage.removeItem(kept);
    if (!root.querySelector("#problems, #unopened")) return;
    for (const id of open) document.getElementById(id)?.querySelector("details.read")?.setAttribute("open", "");
  });

  Object.assign(root.ranking, { show, showProgress, point, isBusy: () => busy });
  root.classList.add("live");
  // On a phone the guide was read when one comes back.
  if (matchMedia("(max-width: 60rem)").matches && parts.some((part) => part.order.length)) {
    for (const guide of root.querySelectorAll("details.guide")) guide.open = false;
  }
  for (const part of parts) show(part);
  // Where a browser does not do it by itself.
  root.querySelector("[autofocus]")?.focus();
})();
