// Everything in a report can be read without this; with it the table of the order can be searched and sorted, and links
// open the explanations that they lead to.
"use strict";

(() => {
  function addSearch(table, rows) {
    const box = document.createElement("p");
    box.className = "search";
    const label = document.createElement("label");
    label.htmlFor = "search";
    label.textContent = table.dataset.find;
    const input = document.createElement("input");
    input.id = "search";
    input.type = "search";
    const found = document.createElement("span");
    found.className = "quiet";
    found.setAttribute("role", "status");
    box.append(label, input, found);
    table.parentElement.before(box);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      let shown = 0;
      for (const row of rows) {
        const gap = row.classList.contains("gap");
        row.hidden = wanted !== "" && (gap || !row.cells[1].textContent.toLowerCase().includes(wanted));
        shown += !row.hidden && !gap;
      }
      found.textContent = wanted === "" ? "" : table.dataset.shown.replace("{count}", shown);
    });
  }

  const first = (row, column) => row.cells[column].firstChild.textContent;
  const number = (text) => parseFloat(text.replaceAll(",", ""));

  function addSorting(table, rows) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const plain = rows.filter((row) => !row.classList.contains("gap"));
        const numeric = column !== 1 && plain.every((row) => !Number.isNaN(number(first(row, column))));
        plain.sort((a, b) => {
          const [x, y] = [first(a, column), first(b, column)];
          const order = numeric ? number(x) - number(y) : x.localeCompare(y, undefined, { numeric: true });
          return down ? -order : order;
        });
        for (const row of rows) row.remove();
        table.tBodies[0].append(...plain);
      });
    });
  }

  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && target.tagName === "DETAILS") target.open = true;
  }

  const table = document.getElementById("order-table");
  if (table) {
    const rows = [...table.tBodies[0].rows];
    addSearch(table, rows);
    addSorting(table, rows);
  }
  addEventListener("hashchange", openTarget);
  openTarget();
})();
