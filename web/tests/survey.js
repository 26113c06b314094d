/**
 * A made-up survey with a question of each kind, and people whose true answers are known here and nowhere else.
 */

import { day } from "./support.js";

/** @param {object} changes */
export function policy({ name = "How we get to work", minimum = 200 } = {}) {
  return `
name = ${JSON.stringify(name)}
purpose = "Plan bicycle lanes and bus lines for the next ten years"
origin = "city.example"
opens = ${day(-3)}
closes = ${day(27)}
epoch = "day"
minimum_reports = ${minimum}
contribution = "split"
retention_days = 90

[budget]
epsilon = 10
period = "collection"

[[attribute]]
name = "late"
question = "Have you ever pretended that the bus was late?"
domain = "categories:yes,no"
goal = "frequency"

[[attribute]]
name = "commute"
question = "How do you get to work?"
domain = "categories:walk,bicycle,bus,train,car"
goal = "frequency"

[[attribute]]
name = "minutes"
question = "How many minutes does it take?"
domain = "interval:0,120"
goal = "distribution"

[[attribute]]
name = "leaving"
question = "At what time of day do you leave?"
domain = "circle:24"
goal = "distribution"

[[attribute]]
name = "home"
question = "Where do you live?"
domain = "rectangle:13.1,13.7,52.35,52.65"
goal = "distribution"
bins = 8

[[public]]
name = "region"
values = ["north", "south"]
`;
}

export const HEADER = ["late", "commute", "minutes", "leaving", "home", "region"];

/** Numbers that look random and are the same each time. @param {number} seed */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** About normal, around zero. @param {() => number} next */
const bell = (next) => next() + next() + next() + next() - 2;

/** @param {number} low @param {number} value @param {number} high */
const within = (low, value, high) => Math.min(high, Math.max(low, value));

/** @param {number} count @param {number} seed */
export function people(count, seed = 1) {
  const next = numbers(seed);
  return Array.from({ length: count }, () => {
    const way = ["walk", "bicycle", "bicycle", "bus", "train", "car", "car"][Math.floor(7 * next())];
    const leaving = next() < 0.8 ? 7.6 + 1.6 * bell(next) : 14 + 3 * bell(next);
    const [east, north] = next() < 0.6 ? [13.4, 52.52] : [13.25, 52.43];
    return [
      next() < 0.31 ? "yes" : "no",
      way,
      Math.round(within(0, 28 + 24 * bell(next) + (way === "train" ? 25 : 0), 120)),
      Number(((leaving + 24) % 24).toFixed(2)),
      `${within(13.1, east + 0.08 * bell(next), 13.7).toFixed(4)},${within(52.35, north + 0.05 * bell(next), 52.65).toFixed(4)}`,
      next() < 0.5 ? "north" : "south",
    ];
  });
}
