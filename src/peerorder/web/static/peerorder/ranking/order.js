// The order as it stands: for every part the papers that are placed, tied ones together, and the other two lists.
// Every way to change it is here, and none to show it. What the scripts of the page share is in root.ranking.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const ties = root.dataset.ties === "yes";
  const rows = new Map();
  const parts = [...root.querySelectorAll("[data-part]")].map((section) => {
    const part = { number: section.dataset.part, section, rows: [], order: [], unplaced: [], unjudged: [] };
    for (const item of section.querySelectorAll(".row")) {
      const row = {
        part, item, token: item.dataset.token, name: item.dataset.name, place: 0,
        handle: item.querySelector(".handle"),
        input: item.querySelector("input[type=number]"),
        box: item.querySelector("input[type=checkbox]"),
        tie: item.querySelector("[data-move=tie]"),
        moves: [...item.querySelectorAll("[data-move]")],
        compare: item.querySelector("[data-compare]"),
        more: item.querySelector(".more"),
        menu: item.querySelector(".row-actions"),
        note: item.querySelector("input[name^=note-]"),
      };
      rows.set(row.token, row);
      part.rows.push(row);
    }
    read(part);
    return part;
  });

  // From the fields of the form.
  function read(part) {
    const placed = [];
    for (const row of part.rows) {
      const place = Number(row.input.value);
      if (row.box && row.box.checked) part.unjudged.push(row);
      else if (Number.isInteger(place) && place > 0) placed.push({ row, place });
      else part.unplaced.push(row);
    }
    let last = 0;
    for (const { row, place } of placed.sort((a, b) => a.place - b.place)) {
      if (ties && place === last) part.order[part.order.length - 1].push(row);
      else part.order.push([row]);
      last = place;
    }
    renumber(part);
  }

  // 1, 2, 2, 4: without gaps.
  function renumber(part) {
    let place = 1;
    for (const group of part.order) {
      for (const row of group) row.place = place;
      place += group.length;
    }
  }

  const groupIndex = (row) => row.part.order.findIndex((group) => group.includes(row));
  const isPlaced = (row) => groupIndex(row) >= 0;

  function remove(row) {
    const part = row.part;
    part.order = part.order.map((group) => group.filter((each) => each !== row)).filter((group) => group.length);
    part.unplaced = part.unplaced.filter((each) => each !== row);
    part.unjudged = part.unjudged.filter((each) => each !== row);
  }

  // Whether there is somewhere to go: not up from the top, not down from the bottom.
  function canStep(row, how) {
    const { order, unplaced } = row.part;
    const index = groupIndex(row);
    if (how === "tie" && !ties) return false;
    if (how === "out") return !unplaced.includes(row);
    if (index < 0 || order[index].length > 1) return true;
    return index !== (how === "down" || how === "bottom" ? order.length - 1 : 0);
  }

  // Move up or down, to an end, into a tie or out of it, or out of the order. Returns whether anything moved.
  function step(row, how) {
    if (!canStep(row, how)) return false;
    const part = row.part;
    const index = groupIndex(row);
    const alone = index >= 0 && part.order[index].length === 1;
    if (how === "out") {
      remove(row);
      part.unplaced.push(row);
    } else if (how === "top" || how === "bottom") {
      remove(row);
      if (how === "top") part.order.unshift([row]);
      else part.order.push([row]);
    } else if (index < 0) {
      // From outside, up and down both lead to the last place.
      remove(row);
      if (how === "tie" && part.order.length) part.order[part.order.length - 1].push(row);
      else part.order.push([row]);
    } else if (how === "tie") {
      remove(row);
      if (alone) part.order[index - 1].push(row);
      else part.order.splice(index + 1, 0, [row]);
    } else {
      const to = alone ? index + (how === "up" ? -1 : 1) : index + (how === "up" ? 0 : 1);
      remove(row);
      part.order.splice(to, 0, [row]);
    }
    renumber(part);
    return true;
  }

  // The places of groups that keep theirs as far as there is room from 1 to the last one.
  function fit(groups, wanted, last) {
    const places = [];
    let next = 1;
    groups.forEach((group, i) => {
      places[i] = Math.max(wanted[i], next);
      next = places[i] + group.length;
    });
    let end = last;
    for (let i = groups.length - 1; i >= 0; i -= 1) {
      places[i] = Math.min(places[i], end - groups[i].length + 1);
      end = places[i] - 1;
    }
    return places;
  }

  // A place that was typed: the paper gets it, and the others make room, as little as need be. It never makes a tie.
  // A gap stays as long as papers are left that may fill it, so that 3, 1, 2 can be typed one after the other.
  // Returns which others moved down and up.
  function placeAt(row, typed) {
    const part = row.part;
    const before = new Map(part.order.flat().filter((each) => each !== row).map((each) => [each, each.place]));
    remove(row);
    const last = part.rows.length - part.unjudged.length;
    const wish = Math.min(typed, last);
    let best = null;
    for (let index = 0; index <= part.order.length; index += 1) {
      const groups = [...part.order.slice(0, index), [row], ...part.order.slice(index)];
      const places = fit(groups, groups.map((group) => (group[0] === row ? wish : group[0].place)), last);
      const shift = groups.reduce((sum, group, i) => sum + (i === index ? 0 : Math.abs(places[i] - group[0].place)), 0);
      const off = Math.abs(places[index] - wish);
      if (!best || off < best.off || (off === best.off && shift < best.shift)) best = { groups, places, off, shift };
    }
    part.order = best.groups;
    part.order.forEach((group, i) => { for (const each of group) each.place = best.places[i]; });
    const others = part.order.flat().filter((each) => each !== row);
    return {
      down: others.filter((each) => each.place > before.get(each)),
      up: others.filter((each) => each.place < before.get(each)),
    };
  }

  function setAside(row, aside) {
    remove(row);
    (aside ? row.part.unjudged : row.part.unplaced).push(row);
    renumber(row.part);
  }

  // Into one of the three lists, before the row that stands there now.
  function drop(row, list, index) {
    const part = row.part;
    remove(row);
    if (list !== "order") {
      part[list].splice(index, 0, row);
    } else {
      const flat = part.order.flat();
      const indexOf = (each) => part.order.findIndex((group) => group.includes(each));
      const next = index < flat.length ? indexOf(flat[index]) : part.order.length;
      // Into the middle of a tie: joins it.
      if (ties && index > 0 && index < flat.length && next === indexOf(flat[index - 1])) {
        part.order[next].splice(part.order[next].indexOf(flat[index]), 0, row);
      } else {
        part.order.splice(next, 0, [row]);
      }
    }
    renumber(part);
  }

  const copyOf = (part) => ({
    order: part.order.map((group) => [...group]), unplaced: [...part.unplaced], unjudged: [...part.unjudged],
    places: part.rows.map((row) => [row, row.place]),
  });

  function restore(part, { places, ...lists }) {
    for (const [row, place] of places) row.place = place;
    Object.assign(part, lists);
  }

  root.ranking = { rows, parts, ties, groupIndex, isPlaced, renumber, canStep, step, placeAt, setAside, drop, copyOf, restore };
})();
