/** A dial for angles and times of day: by pointer, and by keyboard as a slider. */

import { onFace, turned } from "./angle.js";
import { svg } from "./dom.js";

/** @typedef {import("./angle.js").AngleScale} AngleScale */

const RADIUS = 80;

/**
 * @param {AngleScale} scale
 * @param {string} label what is asked
 * @param {(value: number) => void} onChange
 */
export function makeDial(scale, label, onChange) {
  const hand = svg("line", { class: "hand", x1: 0, y1: 0, x2: 0, y2: 0 });
  const knob = svg("circle", { class: "knob", r: 10, cx: 0, cy: 0 });
  const marks = scale.marks.map((text, quarter) => {
    const [x, y] = onFace(quarter / 4, RADIUS - 20);
    return svg("text", { x, y: y + 4, class: "mark-text" }, text);
  });
  const ticks = Array.from({ length: 24 }, (_, tick) => {
    const [x1, y1] = onFace(tick / 24, RADIUS);
    const [x2, y2] = onFace(tick / 24, RADIUS - (tick % 6 === 0 ? 9 : 5));
    return svg("line", { class: "tick-line", x1, y1, x2, y2 });
  });
  const face = svg("circle", { class: "face", r: RADIUS, cx: 0, cy: 0 });
  const dial = svg(
    "svg",
    {
      class: "dial", viewBox: "-100 -100 200 200", tabindex: 0, role: "slider", "aria-label": label,
      "aria-valuemin": 0, "aria-valuemax": scale.period, "aria-valuenow": 0, "aria-valuetext": "not chosen yet",
    },
    face, ...ticks, ...marks, hand, knob,
  );
  /** @type {number | undefined} */
  let current;

  /** @param {number} value */
  function choose(value) {
    current = turned(value, scale.period);
    const [x, y] = onFace(current / scale.period, RADIUS);
    for (const [name, at] of /** @type {const} */ ([["x2", x], ["y2", y]])) hand.setAttribute(name, String(at));
    for (const [name, at] of /** @type {const} */ ([["cx", x], ["cy", y]])) knob.setAttribute(name, String(at));
    dial.classList.add("chosen");
    dial.setAttribute("aria-valuenow", String(current));
    dial.setAttribute("aria-valuetext", scale.say(current));
    onChange(current);
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    const box = dial.getBoundingClientRect();
    const x = event.clientX - box.left - box.width / 2;
    const y = event.clientY - box.top - box.height / 2;
    const share = Math.atan2(x, -y) / (2 * Math.PI);
    choose(Math.round((share * scale.period) / scale.step) * scale.step);
  }

  dial.addEventListener("pointerdown", (event) => {
    dial.setPointerCapture(event.pointerId);
    dial.focus();
    follow(event);
  });
  dial.addEventListener("pointermove", (event) => {
    if (dial.hasPointerCapture(event.pointerId)) follow(event);
  });
  dial.addEventListener("keydown", (event) => {
    const now = current ?? 0;
    /** @type {Record<string, number>} */
    const next = {
      ArrowRight: now + scale.step, ArrowUp: now + scale.step, ArrowLeft: now - scale.step, ArrowDown: now - scale.step,
      PageUp: now + scale.page, PageDown: now - scale.page, Home: 0, End: scale.period - scale.step,
    };
    const wanted = next[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    choose(Math.round(wanted / scale.step) * scale.step);
  });
  return dial;
}
