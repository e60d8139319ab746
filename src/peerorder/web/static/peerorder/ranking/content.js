// What the page says, orders and comments together: to save it, to load something else, to put it in words.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { rows, parts, renumber, show, showProgress, fill } = root.ranking;
  const least = Number(root.dataset.least);
  const areas = [...root.querySelectorAll("textarea[name^=comment-]")];
  const tokenOf = (area) => area.name.slice("comment-".length);

  const changed = () => root.dispatchEvent(new CustomEvent("ranked"));

  function letters(area) {
    const many = area.value.trim().length;
    const card = area.closest(".paper");
    // No comment is asked for on a paper that cannot be judged.
    const row = rows.get(tokenOf(area));
    const aside = row && row.part.unjudged.includes(row);
    const short = least && many < least && !aside;
    card.querySelector(".count").textContent = aside && !many ? fill("needless") : fill(short ? "short" : "letters", { many, least });
    card.querySelector(".least")?.toggleAttribute("hidden", Boolean(aside));
    if (aside || many >= least) {
      card.querySelector(".errorlist")?.remove();
      area.removeAttribute("aria-invalid");
    }
  }
  for (const area of areas) {
    letters(area);
    area.addEventListener("input", () => { letters(area); showProgress(); changed(); });
  }
  root.addEventListener("ranked", () => areas.forEach(letters));

  function content() {
    const said = { orders: {}, unjudged: [], comments: {} };
    for (const part of parts) {
      if (part.order.length) said.orders[part.number] = part.order.map((group) => group.map((row) => row.token));
      said.unjudged.push(...part.unjudged.map((row) => row.token));
    }
    for (const area of areas) if (area.value.trim()) said.comments[tokenOf(area)] = area.value;
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
      show(part);
    }
    for (const area of areas) {
      area.value = said.comments[tokenOf(area)] || "";
      letters(area);
    }
    showProgress();
  }

  // Line by line, for somebody who must choose between two.
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
    return found.length ? found : [fill("nothing")];
  }

  Object.assign(root.ranking, { changed, content, load, lines });
})();
