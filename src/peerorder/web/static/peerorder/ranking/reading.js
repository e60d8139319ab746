// The papers: which were opened, two side by side, and, on a phone, either the papers or the order.
"use strict";

(() => {
  const root = document.getElementById("rank");
  if (!root) return;
  const { rows, format, renderProgress } = root.ranking;
  const papers = root.querySelector(".papers");
  const cards = [...papers.children];
  const form = document.getElementById("compare");
  const end = document.getElementById("compare-end");
  const tabs = [...root.querySelectorAll("[data-show]")];
  const cardOf = (token) => document.getElementById(`paper-${token}`);

  // A paper that was unfolded and arrived counts as opened.
  root.addEventListener("htmx:afterRequest", (event) => {
    const card = event.target.closest(".paper");
    if (!card || !event.detail.successful) return;
    card.dataset.opened = "yes";
    card.querySelector(".read-tag").hidden = false;
    renderProgress();
  });

  // One that did not arrive: its reader says why, and tries again when there is a connection.
  const failed = new Set();
  root.addEventListener("htmx:sendError", (event) => {
    const reader = event.target.querySelector(".reader");
    if (!reader) return;
    const line = document.createElement("p");
    line.className = "message warning";
    line.setAttribute("role", "status");
    line.textContent = format("unread", { paper: reader.dataset.name });
    reader.replaceChildren(line);
    failed.add(event.target);
  });
  addEventListener("online", () => {
    for (const details of failed) htmx.ajax("GET", details.getAttribute("hx-get"), { source: details, target: details.querySelector(".reader") });
    failed.clear();
  });

  const open = (card) => card.querySelector("details.read")?.setAttribute("open", "");

  // Two papers, each with a scroll bar of its own on a wide screen; all papers are there again afterwards.
  let pair = null;
  function compare(left, right) {
    pair = [left, right];
    papers.classList.add("comparing");
    papers.prepend(left, right);
    for (const card of cards) {
      card.hidden = !pair.includes(card);
      card.tabIndex = 0;
    }
    form.querySelectorAll("select").forEach((select, index) => { select.value = pair[index].dataset.token; });
    end.hidden = false;
    pair.forEach(open);
  }
  function endComparison() {
    if (!pair) return;
    const [left] = pair;
    pair = null;
    papers.classList.remove("comparing");
    papers.append(...cards);
    for (const card of cards) {
      card.hidden = false;
      card.tabIndex = -1;
    }
    end.hidden = true;
    left.focus();
  }
  const show = (first) => {
    showView("read");
    first.focus({ preventScroll: true });
    root.querySelector(".rank-line").scrollIntoView({ block: "start" });
  };
  form?.addEventListener("submit", (event) => {
    event.preventDefault();
    const [left, right] = [...form.querySelectorAll("select")].map((select) => cardOf(select.value));
    // The same paper twice: the one after it, or before it.
    const other = left === right ? cards[cards.indexOf(left) + 1] || cards[cards.indexOf(left) - 1] : right;
    compare(left, other);
    show(left);
  });
  end?.addEventListener("click", endComparison);

  // On a phone one of the two parts is shown, each where it was left.
  const scrolled = {};
  function showView(name) {
    if (root.dataset.view === name) return;
    scrolled[root.dataset.view] = scrollY;
    root.dataset.view = name;
    for (const tab of tabs) {
      if (tab.dataset.show === name) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
    if (matchMedia("(max-width: 59.99rem)").matches) scrollTo(0, scrolled[name] || 0);
  }
  root.dataset.view = "read";

  // Whatever a link leads to is shown before the browser goes there.
  function reveal(target) {
    const card = target.closest(".paper");
    if (card && pair && !pair.includes(card)) compare(pair[0], card);
    if (target.closest(".rank-order")) showView("order");
    else if (target.closest(".rank-papers, .rank-guide")) showView("read");
  }
  root.addEventListener("click", (event) => {
    const neighbours = event.target.closest("[data-compare]");
    const above = neighbours?.closest(".row").previousElementSibling;
    if (above) {
      compare(cardOf(above.dataset.token), cardOf(neighbours.dataset.compare));
      show(cardOf(above.dataset.token));
    }
    const link = event.target.closest("a[href^='#']");
    const target = link && document.getElementById(link.hash.slice(1));
    if (!target) return;
    if (link.dataset.show) {
      event.preventDefault();
      showView(link.dataset.show);
      return;
    }
    reveal(target);
    if (link.matches(".row .name")) open(target);
    if (link.dataset.left) {
      event.preventDefault();
      const [left, right] = form.querySelectorAll("select");
      left.value = link.dataset.left;
      right.focus();
    }
  });
  // This link is at the top of the page, outside of what is ranked.
  document.querySelector(".skip[href='#order']")?.addEventListener("click", () => showView("order"));
  const revealHash = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && root.contains(target)) {
      reveal(target);
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", revealHash);
  revealHash();

  // Where something was missing the page comes back, with the papers open that were.
  const kept = "peerorder.unfolded";
  document.getElementById("ranking")?.addEventListener("submit", () => {
    const ids = [...root.querySelectorAll("details.read[open]")].map((each) => each.closest(".paper").id);
    sessionStorage.setItem(kept, JSON.stringify(ids));
  });
  addEventListener("load", () => {
    const ids = JSON.parse(sessionStorage.getItem(kept) || "[]");
    sessionStorage.removeItem(kept);
    if (!root.querySelector("#problems, #unopened")) return;
    for (const id of ids) if (document.getElementById(id)) open(document.getElementById(id));
  });

  // On a phone, what was read once is folded when somebody comes back.
  if (matchMedia("(max-width: 60rem)").matches && [...rows.values()].some((row) => row.place)) {
    for (const guide of root.querySelectorAll("details.guide")) guide.open = false;
  }
  // Not every browser does this for an element that is not a field.
  root.querySelector("[autofocus]")?.focus();
})();
