/** A point in the public area: a plain grid with coordinates, by pointer or arrow keys. There are no map tiles: they would tell others. */

import { html, shownNumber, svg } from "./dom.js";

/** @typedef {[number, number]} Point */

const LONGER = 320;
const LINES = 8;

/**
 * How an area is drawn: the first coordinate to the right, the second one up.
 * @param {readonly [number, number]} low
 * @param {readonly [number, number]} high
 */
export function areaFrame(low, high) {
  /** @type {Point} */
  const widths = [high[0] - low[0], high[1] - low[1]];
  const longest = Math.max(...widths);
  // A very long area is still to be hit with a finger.
  const width = Math.max(LONGER / 4, (LONGER * widths[0]) / longest);
  const height = Math.max(LONGER / 4, (LONGER * widths[1]) / longest);
  return {
    width, height,
    /** @param {Point} point */
    toPicture: (point) => /** @type {Point} */ ([
      ((point[0] - low[0]) / widths[0]) * width,
      height - ((point[1] - low[1]) / widths[1]) * height,
    ]),
    /** @param {Point} shares of the picture, from its upper left corner */
    toPoint: (shares) => /** @type {Point} */ ([
      low[0] + Math.min(1, Math.max(0, shares[0])) * widths[0],
      low[1] + Math.min(1, Math.max(0, 1 - shares[1])) * widths[1],
    ]),
    /** @param {Point} point */
    say: (point) => `${shownNumber(point[0], widths[0])}, ${shownNumber(point[1], widths[1])}`,
  };
}

/**
 * Lines of the grid, and the coordinates of the corners.
 * @param {number} width
 * @param {number} height
 */
function grid(width, height) {
  const upright = Array.from({ length: LINES + 1 }, (_, line) => (line / LINES) * width);
  const level = Array.from({ length: LINES + 1 }, (_, line) => (line / LINES) * height);
  return [
    ...upright.map((x) => svg("line", { class: "grid", x1: x, x2: x, y1: 0, y2: height })),
    ...level.map((y) => svg("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y })),
  ];
}

/**
 * @param {readonly [number, number]} low
 * @param {readonly [number, number]} high
 * @param {string} label what is asked
 * @param {(point: Point) => void} onChange
 */
export function makeArea(low, high, label, onChange) {
  const frame = areaFrame(low, high);
  const cross = svg("g", { class: "cross" }, svg("line", { x1: -12, x2: 12 }), svg("line", { y1: -12, y2: 12 }), svg("circle", { r: 6 }));
  const picture = svg(
    "svg",
    { class: "area", viewBox: `0 0 ${frame.width} ${frame.height}`, "aria-hidden": "true" },
    svg("rect", { class: "ground", width: frame.width, height: frame.height }),
    ...grid(frame.width, frame.height), cross,
  );
  const field = html(
    "div",
    { class: "area-field", tabindex: 0, role: "application", "aria-roledescription": "map", "aria-label": `${label} Arrow keys move the point, with shift in larger steps.` },
    picture,
  );
  const corners = html(
    "p", { class: "hint" },
    `First coordinate from ${low[0]} (left) to ${high[0]}, second from ${low[1]} (bottom) to ${high[1]}.`,
  );
  /** @type {Point | undefined} */
  let current;

  /** @param {Point} point */
  function choose(point) {
    current = point;
    const [x, y] = frame.toPicture(point);
    cross.setAttribute("transform", `translate(${x} ${y})`);
    field.classList.add("chosen");
    onChange(point);
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const box = picture.getBoundingClientRect();
    choose(frame.toPoint([(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]));
  }

  field.addEventListener("pointerdown", (event) => {
    field.setPointerCapture(event.pointerId);
    follow(event);
  });
  field.addEventListener("pointermove", (event) => {
    if (field.hasPointerCapture(event.pointerId)) follow(event);
  });
  field.addEventListener("keydown", (event) => {
    /** @type {Record<string, Point>} */
    const moves = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const steps = event.shiftKey ? 10 : 100;
    const from = current ?? [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
    const moved = (/** @type {0 | 1} */ axis) =>
      Math.min(high[axis], Math.max(low[axis], from[axis] + (move[axis] * (high[axis] - low[axis])) / steps));
    choose([moved(0), moved(1)]);
  });
  return html("div", {}, field, corners);
}
