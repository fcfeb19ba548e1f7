// A thin bar of parts. Widths are attributes of its SVG: the page has no inline styles.

const SVG = "http://www.w3.org/2000/svg";

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Parts `{ share, tone }` side by side, shares of 1 in all; `mark` is a line at a share. What it
 * says must stand in words beside it: it is hidden from readers. */
export function bar(parts, mark = null) {
  const svg = shape("svg", { class: "bar", viewBox: "0 0 1000 10", preserveAspectRatio: "none",
    "aria-hidden": "true" });
  svg.append(shape("rect", { class: "bar-back", width: 1000, height: 10 }));
  let left = 0;
  for (const { share, tone } of parts) {
    const width = Math.min(1000 - left, Math.max(share > 0 ? 4 : 0, share * 1000));
    svg.append(shape("rect", { class: `bar-${tone}`, x: left, width: Math.max(0, width), height: 10 }));
    left += width;
  }
  if (mark !== null) svg.append(shape("rect", { class: "bar-mark", x: mark * 1000, width: 3, height: 10 }));
  return svg;
}
