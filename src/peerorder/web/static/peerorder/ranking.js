// Put papers in order: by dragging, by keyboard, by buttons, by typing places. Every move is told.
// The boxes and ticks of the form are kept as the order stands, so that handing in is a plain form.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const texts = JSON.parse(root.dataset.texts);
  const ties = root.dataset.ties === "yes";
  const least = Number(root.dataset.least);
  const told = document.getElementById("moves");
  const fill = (name, values = {}) => texts[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);

  // The parts of the page, and in each the order (groups of rows, tied ones together) and the two lists besides.
  const rows = new Map();
  const parts = [...root.querySelectorAll("[data-part]")].map((section) => {
    const part = { number: section.dataset.part, section, order: [], unplaced: [], unjudged: [] };
    for (const item of section.querySelectorAll(".row")) {
      const row = {
        part, item, token: item.dataset.token, name: item.dataset.name, place: 0,
        handle: item.querySelector(".handle"),
        input: item.querySelector("input[type=number]"),
        box: item.querySelector("input[type=checkbox]"),
        tie: item.querySelector("[data-move=tie]"),
      };
      rows.set(row.token, row);
      const place = Number(row.input.value);
      if (row.box && row.box.checked) part.unjudged.push(row);
      else if (Number.isInteger(place) && place > 0) { row.place = place; part.order.push([row]); }
      else part.unplaced.push(row);
    }
    sort(part);
    return part;
  });
  const count = (part) => part.order.reduce((many, group) => many + group.length, 0);

  // By the places: equal ones make a group.
  function sort(part) {
    const flat = part.order.flat().sort((a, b) => a.place - b.place);
    part.order = [];
    for (const row of flat) {
      const last = part.order[part.order.length - 1];
      if (last && last[0].place === row.place) last.push(row);
      else part.order.push([row]);
    }
  }

  // 1, 2, 2, 4: as the order stands.
  function renumber(part) {
    let place = 1;
    for (const group of part.order) {
      for (const row of group) row.place = place;
      place += group.length;
    }
  }

  function groupOf(row) {
    return row.part.order.findIndex((group) => group.includes(row));
  }

  function take(row) {
    const part = row.part;
    part.order = part.order.map((group) => group.filter((each) => each !== row)).filter((group) => group.length);
    part.unplaced = part.unplaced.filter((each) => each !== row);
    part.unjudged = part.unjudged.filter((each) => each !== row);
  }

  // A field that was typed in tells of its change once more when it is moved.
  let showing = false;
  function show(part) {
    showing = true;
    const focused = document.activeElement;
    const lists = { order: part.order.flat(), unplaced: part.unplaced, unjudged: part.unjudged };
    for (const [name, wanted] of Object.entries(lists)) {
      const list = part.section.querySelector(`[data-list=${name}]`);
      if (!list) continue;
      wanted.forEach((row, at) => {
        if (list.children[at] !== row.item) list.insertBefore(row.item, list.children[at] || null);
      });
    }
    for (const group of part.order) {
      group.forEach((row, at) => {
        row.input.value = row.place;
        row.item.classList.toggle("tied", at > 0);
        row.item.classList.toggle("in-tie", group.length > 1);
        row.item.querySelector(".tied-tag").hidden = group.length < 2;
        if (row.tie) row.tie.textContent = group.length > 1 ? texts.untie : texts.tie;
      });
    }
    for (const row of [...part.unplaced, ...part.unjudged]) {
      row.input.value = "";
      row.item.classList.remove("tied", "in-tie");
      row.item.querySelector(".tied-tag").hidden = true;
      if (row.tie) row.tie.textContent = texts.tie;
    }
    for (const row of rows.values()) if (row.part === part && row.box) row.box.checked = part.unjudged.includes(row);
    part.section.querySelector(".drop-here").hidden = part.order.length > 0;
    part.section.querySelector(".unplaced-box").hidden = part.unplaced.length === 0;
    const beside = part.section.querySelector(".unjudged-box");
    if (beside) beside.hidden = part.unjudged.length === 0;
    if (focused && focused !== document.activeElement && root.contains(focused)) focused.focus();
    showing = false;
    showProgress();
  }

  // How far it is.
  const readKey = `peerorder.read.${root.dataset.person}.${root.dataset.assignment}`;
  const kept = root.dataset.save ? localStorage.getItem(readKey) : null;
  const read = new Set(kept ? JSON.parse(kept) : []);

  function showProgress() {
    const placed = parts.reduce((many, part) => many + count(part) + part.unjudged.length, 0);
    root.querySelector("#progress").value = placed;
    let text = fill("placed", { placed, all: rows.size });
    const seen = [...rows.keys()].filter((token) => read.has(token)).length;
    if (root.dataset.save) text += " · " + fill("read", { read: seen });
    root.querySelector(".far").textContent = text;
    for (const card of root.querySelectorAll(".paper")) card.querySelector(".read-tag").hidden = !read.has(card.dataset.token);
  }

  root.addEventListener("toggle", (event) => {
    if (!event.target.matches("details.read") || !event.target.open) return;
    read.add(event.target.closest(".paper").dataset.token);
    localStorage.setItem(readKey, JSON.stringify([...read]));
    showProgress();
  }, true);

  // What is told.
  let telling;
  function tell(text) {
    clearTimeout(telling);
    told.textContent = "";
    telling = setTimeout(() => { told.textContent = text; }, 40);
  }

  function where(row) {
    const part = row.part;
    if (part.unplaced.includes(row)) return fill("unplaced", { paper: row.name });
    if (part.unjudged.includes(row)) return fill("unjudged", { paper: row.name });
    const at = groupOf(row);
    const values = { paper: row.name, place: 1, all: count(part) };
    for (const group of part.order.slice(0, at)) values.place += group.length;
    const names = (group) => group.map((each) => each.name).reduce((one, other) => fill("and", { one, other }));
    const group = part.order[at].filter((each) => each !== row);
    if (group.length) return fill("tied", { ...values, other: names(group) });
    if (part.order[at + 1]) return fill("above", { ...values, other: names(part.order[at + 1]) });
    if (part.order[at - 1]) return fill("below", { ...values, other: names(part.order[at - 1]) });
    return fill("only", values);
  }

  const changed = () => root.dispatchEvent(new CustomEvent("ranked"));

  // Moves by one step or to an end. Gives whether anything moved.
  function step(row, how) {
    const part = row.part;
    const at = groupOf(row);
    const alone = at >= 0 && part.order[at].length === 1;
    if (how === "out") {
      if (part.unplaced.includes(row)) return false;
      take(row);
      part.unplaced.push(row);
    } else if (how === "top" || how === "bottom") {
      if (alone && at === (how === "top" ? 0 : part.order.length - 1)) return false;
      take(row);
      if (how === "top") part.order.unshift([row]);
      else part.order.push([row]);
    } else if (at < 0) {
      // From below the order, up is its last place.
      if (how === "down") return false;
      take(row);
      if (how === "tie" && part.order.length) part.order[part.order.length - 1].push(row);
      else part.order.push([row]);
    } else if (how === "tie") {
      if (alone && at === 0) return false;
      take(row);
      if (alone) part.order[at - 1].push(row);
      else part.order.splice(at + 1, 0, [row]);
    } else {
      const to = alone ? at + (how === "up" ? -1 : 1) : at + (how === "up" ? 0 : 1);
      if (to < 0 || (alone && to >= part.order.length)) return false;
      take(row);
      part.order.splice(to, 0, [row]);
    }
    renumber(part);
    show(part);
    row.item.scrollIntoView({ block: "nearest" });
    return true;
  }

  function move(row, how) {
    if (step(row, how)) {
      tell(where(row));
      changed();
    } else {
      tell(fill(how === "up" || how === "top" || how === "tie" ? "first" : "last", { paper: row.name }));
    }
  }

  const rowOf = (element) => {
    const item = element.closest && element.closest(".row");
    return item ? rows.get(item.dataset.token) : undefined;
  };

  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (!button) return;
    const row = rowOf(button);
    move(row, button.dataset.move);
  });

  // Typing. The numbers stay as they were typed, so that 3, 1, 2 can be typed one after the other.
  root.addEventListener("change", (event) => {
    const row = rowOf(event.target);
    if (!row || showing) return;
    const part = row.part;
    if (event.target === row.box) {
      take(row);
      (row.box.checked ? part.unjudged : part.unplaced).push(row);
      renumber(part);
    } else if (event.target === row.input) {
      const place = Math.floor(Number(row.input.value));
      take(row);
      if (row.input.value === "" || !(place >= 1)) {
        part.unplaced.push(row);
      } else {
        row.place = Math.min(place, 9999);
        if (!ties && part.order.flat().some((other) => other.place === row.place)) {
          for (const other of part.order.flat()) if (other.place >= row.place) other.place += 1;
        }
        part.order.push([row]);
        sort(part);
      }
    } else {
      return;
    }
    show(part);
    tell(where(row));
    changed();
  });
  root.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches(".row input[type=number]")) {
      event.preventDefault();
      event.target.dispatchEvent(new Event("change", { bubbles: true }));
    }
  });

  // The keyboard.
  let picked = null;
  const copyOf = (part) => ({
    order: part.order.map((group) => [...group]), unplaced: [...part.unplaced], unjudged: [...part.unjudged],
    places: [...rows.values()].map((row) => [row, row.place]),
  });

  function restore(part, copy) {
    for (const [row, place] of copy.places) row.place = place;
    part.order = copy.order;
    part.unplaced = copy.unplaced;
    part.unjudged = copy.unjudged;
    show(part);
  }

  function pick(row) {
    picked = { row, before: copyOf(row.part), moved: false };
    row.item.classList.add("picked");
    row.handle.setAttribute("aria-pressed", "true");
    tell(fill("picked", { where: row.part.unplaced.includes(row) ? row.name : where(row) }));
  }

  function letGo(back) {
    const { row, before, moved } = picked;
    picked = null;
    row.item.classList.remove("picked");
    row.handle.setAttribute("aria-pressed", "false");
    if (back) restore(row.part, before);
    tell(fill(back ? "back" : "dropped", { where: where(row) }));
    if (!back && moved) changed();
  }

  const KEYS = { ArrowUp: "up", ArrowDown: "down", Home: "top", End: "bottom" };
  root.addEventListener("keydown", (event) => {
    const row = rowOf(event.target);
    if (!row) return;
    const on = event.target === row.handle;
    const how = KEYS[event.key];
    if (event.altKey && (how === "up" || how === "down")) {
      event.preventDefault();
      move(row, how);
    } else if (on && (event.key === " " || event.key === "Enter")) {
      event.preventDefault();
      if (!event.repeat) {
        if (picked) letGo(false);
        else pick(row);
      }
    } else if (on && picked && event.key === "Escape") {
      event.preventDefault();
      letGo(true);
    } else if (on && picked && how) {
      event.preventDefault();
      if (step(row, how)) {
        picked.moved = true;
        tell(where(row));
      } else {
        tell(fill(how === "up" || how === "top" ? "first" : "last", { paper: row.name }));
      }
    }
  });
  // Firefox presses a button when Space is let go.
  root.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target.matches(".handle")) event.preventDefault();
  });
  root.addEventListener("focusout", (event) => {
    // A row that moves loses the focus for a moment, and gets it back.
    const from = picked;
    if (from && event.target === from.row.handle) {
      setTimeout(() => { if (picked === from && document.activeElement !== from.row.handle) letGo(false); }, 0);
    }
  });

  // Mouse and touch. The row follows the pointer; a line shows where it would go.
  let drag = null;
  const line = document.createElement("li");
  line.className = "drop-line";
  line.setAttribute("aria-hidden", "true");

  root.addEventListener("pointerdown", (event) => {
    const row = rowOf(event.target);
    if (!row || event.button !== 0 || drag) return;
    const onHandle = event.target.closest(".handle");
    // A finger anywhere else scrolls the page.
    if (!onHandle && (event.pointerType !== "mouse" || event.target.closest("a, button, input, summary, label, details"))) return;
    if (!onHandle) event.preventDefault();
    drag = { row, id: event.pointerId, startY: event.clientY, y: event.clientY, on: false, shift: 0 };
    drag.grab = event.clientY - row.item.getBoundingClientRect().top;
    row.handle.setPointerCapture(event.pointerId);
  });

  function begin() {
    drag.on = true;
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
    target();
    requestAnimationFrame(follow);
  }

  function target() {
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
    drag.at = before.length;
    const after = others[drag.at] || null;
    if (line.parentNode !== best.list || line.nextElementSibling !== after) best.list.insertBefore(line, after);
  }

  function finish(drop) {
    const { row, on, list, at } = drag;
    drag = null;
    if (!on) return;
    line.remove();
    row.item.classList.remove("dragging");
    row.item.style.transform = "";
    row.part.section.classList.remove("drag-here");
    if (!drop || list === undefined) {
      show(row.part);
      return;
    }
    const part = row.part;
    const before = JSON.stringify(content());
    take(row);
    if (list === "order") {
      const flat = part.order.flat();
      const group = at > 0 && at < flat.length ? part.order.findIndex((each) => each.includes(flat[at - 1])) : -1;
      if (ties && group >= 0 && part.order[group].includes(flat[at])) {
        // Into the middle of a tie: one of them.
        part.order[group].splice(part.order[group].indexOf(flat[at]), 0, row);
      } else {
        const next = at < flat.length ? part.order.findIndex((each) => each.includes(flat[at])) : part.order.length;
        part.order.splice(next, 0, [row]);
      }
    } else {
      part[list].splice(at, 0, row);
    }
    renumber(part);
    show(part);
    tell(where(row));
    if (JSON.stringify(content()) !== before) changed();
  }

  root.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    drag.y = event.clientY;
    if (!drag.on && Math.abs(drag.y - drag.startY) > 4) begin();
  });
  root.addEventListener("pointerup", (event) => {
    if (!drag || event.pointerId !== drag.id) return;
    drag.y = event.clientY;
    if (drag.on) target();
    finish(true);
  });
  root.addEventListener("pointercancel", (event) => { if (drag && event.pointerId === drag.id) finish(false); });
  document.addEventListener("keydown", (event) => { if (drag && event.key === "Escape") finish(false); });

  // Comments.
  const areas = [...root.querySelectorAll("textarea[name^=comment-]")];
  function letters(area) {
    const many = area.value.trim().length;
    const short = least && many < least;
    area.closest(".paper").querySelector(".count").textContent = fill(short ? "short" : "letters", { many, least });
  }
  for (const area of areas) {
    letters(area);
    area.addEventListener("input", () => { letters(area); changed(); });
  }

  // What the page says, and how it is made to say something else.
  function content() {
    const said = { orders: {}, unjudged: [], comments: {} };
    for (const part of parts) {
      if (part.order.length) said.orders[part.number] = part.order.map((group) => group.map((row) => row.token));
      said.unjudged.push(...part.unjudged.map((row) => row.token));
    }
    for (const area of areas) if (area.value.trim()) said.comments[area.name.slice("comment-".length)] = area.value;
    return said;
  }

  function load(said) {
    for (const part of parts) {
      const mine = (token) => rows.has(token) && rows.get(token).part === part;
      const old = [...rows.values()].filter((row) => row.part === part);
      part.order = (said.orders[part.number] || [])
        .map((group) => group.filter(mine).map((token) => rows.get(token))).filter((group) => group.length);
      part.unjudged = said.unjudged.filter(mine).map((token) => rows.get(token));
      const there = new Set([...part.order.flat(), ...part.unjudged]);
      part.unplaced = old.filter((row) => !there.has(row));
      renumber(part);
      show(part);
    }
    for (const area of areas) {
      area.value = said.comments[area.name.slice("comment-".length)] || "";
      letters(area);
    }
  }

  // In words, line by line, for somebody who must choose between two.
  function lines(said) {
    const name = (token) => (rows.has(token) ? rows.get(token).name : "?");
    const found = [];
    for (const part of parts) {
      let place = 1;
      for (const group of said.orders[part.number] || []) {
        found.push(`${place}. ` + group.map(name).reduce((one, other) => fill("and", { one, other })));
        place += group.length;
      }
    }
    for (const token of said.unjudged) found.push(fill("unjudged", { paper: name(token) }));
    for (const [token, text] of Object.entries(said.comments)) found.push(`${name(token)}: ${text}`);
    return found.length ? found : [texts.nothing];
  }

  root.ranking = { content, load, lines, fill, tell };
  root.classList.add("live");
  // On a phone the guide was read when one comes back.
  if (matchMedia("(max-width: 60rem)").matches && [...parts].some((part) => part.order.length)) {
    for (const guide of root.querySelectorAll("details.guide")) guide.open = false;
  }
  for (const part of parts) show(part);
})();
