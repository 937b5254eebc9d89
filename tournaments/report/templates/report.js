"use strict";
/* Sorts a table by the column whose heading is pressed, and shows the rows whose names hold what is searched. */
(() => {
  const tables = [...document.querySelectorAll("table.sortable")];
  const rows = (table) => [...table.tBodies[0].rows];
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    if (!row.cells[column].classList.contains("num")) return text.toLowerCase();
    const number = text.replaceAll(",", "").replace("\u2212", "-").match(/^-?[0-9.]+/);
    return number && Number(number[0]);
  };
  const compare = (one, other) => {
    if (one === null || other === null) return (one === null) - (other === null);
    return typeof one === "number" ? one - other : one.localeCompare(other);
  };
  const sort = (table, heading) => {
    const column = heading.cellIndex;
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyed = rows(table).map((row) => [value(row, column), row]);
    keyed.sort(([one], [other]) => {
      const empty = one === null || other === null;
      return up || empty ? compare(one, other) : compare(other, one);
    });
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  };
  for (const table of tables) {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.classList.contains("plot")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  }
  const place = document.querySelector("#standings .scroll");
  if (!place) return;
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.type = "search";
  input.addEventListener("input", () => {
    const searched = input.value.trim().toLowerCase();
    for (const row of tables.flatMap(rows)) {
      row.hidden = !row.querySelector("th").textContent.toLowerCase().includes(searched);
    }
  });
  label.className = "search";
  label.append("Search competitors: ", input);
  place.before(label);
})();
