// Returns what is wrong with the page for somebody who does not see it, or sees it on a phone, or has no mouse.
() => {
  const wrong = [];
  const say = (what, element) => wrong.push(`${what}: ${element.outerHTML.replace(/\s+/g, " ").slice(0, 90)}`);
  const all = (marks, within = document) => [...within.querySelectorAll(marks)];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });

  // What it consists of

  for (const [marks, least, most] of [["h1", 1, 1], ["header", 1, 1], ["main", 1, 1], ["nav", 1, 9], ["html[lang]", 1, 1]]) {
    const found = all(marks).filter(isShown).length;
    if (found < least || found > most) wrong.push(`${found} of ${marks}`);
  }
  if (!document.title) wrong.push("no title");
  let level = 0;
  for (const heading of all("h1, h2, h3, h4").filter(isShown)) {
    if (heading.localName[1] - level > 1) say("a level of headings is left out", heading);
    level = Number(heading.localName[1]);
  }
  const ids = all("[id]").map((each) => each.id);
  if (new Set(ids).size < ids.length) wrong.push(`the same id twice: ${ids.filter((id, place) => ids.indexOf(id) < place)}`);
  for (const each of all("table").filter(isShown)) if (!each.caption) say("no caption", each);
  for (const each of all("svg").filter(isShown)) {
    const isSilent = each.closest("[aria-hidden=true]") || each.getAttribute("aria-label") || each.getAttribute("aria-labelledby");
    if (!isSilent) say("a picture without a name", each);
  }

  // Where it goes on

  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`${document.documentElement.scrollWidth} wide`);
  for (const each of all("body *")) {
    const isScrolled = ["auto", "scroll"].includes(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth + 1;
    if (!isScrolled || !isShown(each) || each.closest(".unseen")) continue;
    if (each.tabIndex < 0 || !each.getAttribute("aria-label")) say("the keyboard cannot scroll it", each);
    const { maskImage, backgroundAttachment } = getComputedStyle(each);
    if (maskImage === "none" && !backgroundAttachment.includes("local")) say("nothing shows that it goes on", each);
  }

  // What is read

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const rgba = (text) => {
    const numbers = text.match(/[-.0-9e]+/g).map(Number);
    return text.startsWith("color(") ? [...numbers.slice(0, 3).map((each) => 255 * each), numbers[3] ?? 1] : [...numbers.slice(0, 3), numbers[3] ?? 1];
  };
  const laid = ([...over], under) => over.slice(0, 3).map((each, place) => over[3] * each + (1 - over[3]) * under[place]);
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const groundOf = (element) => {
    const face = element.closest(".card")?.querySelector(".face");
    if (face) return rgba(getComputedStyle(face).fill).slice(0, 3);
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.unshift(rgba(getComputedStyle(each).backgroundColor));
    return layers.reduce((under, over) => laid(over, under), [255, 255, 255]);
  };
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const element = text.parentElement;
    if (!text.data.trim() || !isShown(element) || element.closest(".unseen, .dim, :disabled, script, style, .skip, option")) continue;
    const style = getComputedStyle(element);
    const colour = rgba(element.ownerSVGElement ? style.fill : style.color);
    if (element.ownerSVGElement) colour[3] *= Number(style.fillOpacity);
    for (let each = element; each; each = each.parentElement) colour[3] *= Number(getComputedStyle(each).opacity);
    const ground = groundOf(element);
    const found = contrast(laid(colour, ground), ground);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (found < (isLarge ? 3 : 4.5)) say(`contrast ${found.toFixed(2)} of "${text.data.trim().slice(0, 20)}"`, element);
    if (!element.closest("table, .parts, #tables") || element.ownerSVGElement) continue;
    for (const word of text.data.matchAll(/[^\s-]+-?/g)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((each) => Math.round(each.top)));
      if (lines.size > 1 && word[0].length < 20) say(`"${word[0]}" is broken`, element);
    }
  }
  // What is operated

  const named = (each) =>
    each.textContent.trim() || each.getAttribute("aria-label") || [...(each.labels ?? [])].some((label) => label.textContent.trim());
  const operated = all("a, button, input, select, summary, [tabindex='0']").filter(isShown);
  for (const each of operated) {
    if (!named(each)) say("no name", each);
    each.focus({ focusVisible: true });
    if (document.activeElement !== each) {
      if (!each.disabled) say("cannot be focused", each);
      continue;
    }
    const style = getComputedStyle(each);
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) say("its focus is not seen", each);
  }
  document.activeElement.blur();
  for (const each of [document.documentElement, ...all("body *")]) each.scrollTo(0, 0);
  return wrong;
}
