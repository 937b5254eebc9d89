"use strict";
/* Sorts a table by the column whose heading is pressed, shows the rows whose names hold what is searched, and
   marks the edges where a wide table goes on. A page that puts other content in place says so by "content". */
(() => {
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
  const sortable = (table) => {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.classList.contains("plot")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  };
  const searchable = (place, tables) => {
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
  };
  /* An edge behind which there is more is marked, but for the scroll bar; what does not scroll is no stop of
     the keyboard. */
  const edges = (place) => {
    const right = place.scrollWidth - place.clientWidth - place.scrollLeft;
    place.classList.toggle("more-left", place.scrollLeft > 1);
    place.classList.toggle("more-right", right > 1);
    place.style.setProperty("--bar", `${place.offsetWidth - place.clientWidth}px`);
    place.tabIndex = place.scrollLeft + right > 1 || place.scrollHeight > place.clientHeight ? 0 : -1;
  };
  const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => edges(target.closest(".scroll"))));
  const begin = () => {
    const tables = [...document.querySelectorAll("table.sortable")];
    tables.forEach(sortable);
    const standings = document.querySelector("#standings .scroll");
    if (standings) searchable(standings, tables);
    sizes.disconnect();
    for (const place of document.querySelectorAll(".scroll")) {
      place.addEventListener("scroll", () => edges(place), { passive: true });
      for (const each of [place, ...place.children]) sizes.observe(each);
    }
  };
  begin();
  document.addEventListener("content", begin);
})();
