/** Angles and times of day: how they are said, and in which steps they are chosen. */

import { shownNumber } from "./dom.js";

/**
 * @typedef {object} AngleScale
 * @property {number} period one turn
 * @property {number} step what an arrow key adds
 * @property {number} page what a page key adds
 * @property {string[]} marks what stands at the top, right, bottom and left
 * @property {(value: number) => string} say a value in words
 */

/** Hours, minutes and seconds of a day. */
const DAYS = [24, 24 * 60, 24 * 60 * 60];

/** @param {number} share of a day */
function clock(share) {
  const minutes = Math.round(share * 24 * 60) % (24 * 60);
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/**
 * How a circle with this period is shown.
 * @param {number} period
 * @returns {AngleScale}
 */
export function angleScale(period) {
  const quarters = [0, 1, 2, 3].map((quarter) => (quarter * period) / 4);
  if (DAYS.includes(period)) {
    const say = (/** @type {number} */ value) => clock(value / period);
    return { period, step: period / 288, page: period / 24, marks: quarters.map(say), say };
  }
  if (period === 360) {
    const say = (/** @type {number} */ value) => `${shownNumber(value, 100)}°`;
    return { period, step: 1, page: 15, marks: quarters.map(say), say };
  }
  const say = (/** @type {number} */ value) => shownNumber(value, period);
  return { period, step: period / 200, page: period / 20, marks: quarters.map(say), say };
}

/**
 * The same angle between zero and one turn.
 * @param {number} value
 * @param {number} period
 */
export function turned(value, period) {
  const rest = value - Math.floor(value / period) * period;
  // Rounding can reach the whole turn, which is zero again.
  return rest < period ? rest : 0;
}

/**
 * The point of a clock's face, with zero at the top, going around like a hand.
 * @param {number} share of one turn
 * @param {number} radius
 * @returns {[number, number]}
 */
export function onFace(share, radius) {
  const angle = 2 * Math.PI * share;
  return [radius * Math.sin(angle), -radius * Math.cos(angle)];
}
