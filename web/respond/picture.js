/** Pictures of what can become of an answer. They show the channel, never a draw. */

import { angleScale, onFace } from "./angle.js";
import { areaFrame } from "./area.js";
import { percent, shownNumber, svg } from "./dom.js";

/** @typedef {import("../client/index.d.ts").Channel} Channel */
/** @typedef {import("../client/index.d.ts").Question} Question */
/** @typedef {Extract<Channel, { kind: "numbers" }>["pieces"]} Pieces */

const WIDTH = 440;

/**
 * @param {number} height
 * @param {string} words what the picture says
 * @param {...SVGElement} parts
 */
function figure(height, words, ...parts) {
  const picture = svg("svg", { class: "chart channel", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": words });
  picture.append(...parts);
  return picture;
}

/**
 * A bar for each thing that can be reported.
 * @param {readonly { label: string, probability: number, own: boolean }[]} rows
 * @param {string} words
 */
function bars(rows, words) {
  const step = 26;
  const [left, right] = [150, WIDTH - 62];
  const most = Math.max(...rows.map((row) => row.probability), 1e-9);
  const short = (/** @type {string} */ text) => (text.length > 22 ? `${text.slice(0, 21)}…` : text);
  const parts = rows.flatMap((row, index) => {
    const y = index * step + 4;
    const width = ((right - left) * row.probability) / most;
    return [
      svg("text", { class: row.own ? "label own" : "label", x: left - 8, y: y + 14 }, short(row.label)),
      svg("rect", { class: row.own ? "bar own" : "bar", x: left, y, width: Math.max(width, 1), height: 18, rx: 3 }),
      svg("text", { x: left + width + 6, y: y + 14 }, percent(row.probability)),
    ];
  });
  return figure(rows.length * step + 4, words, ...parts);
}

const MOST_BARS = 14;

/** @param {Extract<Channel, { kind: "choices" }>} channel */
function choices(channel) {
  // The own answer first, then the most likely others.
  const sorted = [...channel.choices].sort((one, other) => Number(other.own) - Number(one.own) || other.probability - one.probability);
  const shown = channel.choices.length <= MOST_BARS ? [...channel.choices] : sorted.slice(0, MOST_BARS);
  const left = channel.choices.length - shown.length + (channel.others?.count ?? 0);
  if (left === 0) return bars(shown, channel.words);
  const rest = sorted.slice(shown.length);
  const sum = rest.reduce((total, choice) => total + choice.probability, (channel.others?.count ?? 0) * (channel.others?.each ?? 0));
  return bars([...shown, { label: `each of ${left} others`, probability: sum / left, own: false }], channel.words);
}

/**
 * The density of the reported number, with the own answer marked.
 * @param {Pieces} pieces
 * @param {number} own
 * @param {string} words
 */
function density(pieces, own, words) {
  const [top, bottom, left, right] = [12, 132, 14, WIDTH - 14];
  const low = Math.min(own, ...pieces.map((piece) => piece.from));
  const high = Math.max(own, ...pieces.map((piece) => piece.to));
  const width = high - low || 1;
  const x = (/** @type {number} */ value) => left + ((value - low) / width) * (right - left);
  const ranges = pieces.filter((piece) => piece.to > piece.from);
  const height = (/** @type {Pieces[number]} */ piece) => piece.probability / (piece.to - piece.from);
  const most = Math.max(...ranges.map(height), 0);
  const y = (/** @type {number} */ share) => bottom - share * (bottom - top);
  const areas = ranges.map((piece) => {
    const at = y(height(piece) / most);
    return svg("rect", { class: "bar", x: x(piece.from), width: Math.max(x(piece.to) - x(piece.from), 0.5), y: at, height: bottom - at });
  });
  const atoms = pieces.filter((piece) => piece.to <= piece.from);
  const largest = Math.max(...atoms.map((atom) => atom.probability), 0);
  const stems = atoms.map((atom) =>
    svg("line", { class: "stem", x1: x(atom.from), x2: x(atom.from), y1: bottom, y2: y(atom.probability / largest) }),
  );
  const anchor = x(own) < left + 60 ? "start" : x(own) > right - 60 ? "end" : "middle";
  return figure(
    170, words, ...areas, ...stems,
    svg("line", { class: "zero", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("line", { class: "own-line", x1: x(own), x2: x(own), y1: top - 8, y2: bottom + 6 }),
    svg("text", { x: x(own), y: bottom + 34, "text-anchor": anchor, class: "own" }, "your answer"),
    svg("text", { x: left, y: bottom + 18, "text-anchor": "start" }, shownNumber(low, width)),
    svg("text", { x: right, y: bottom + 18, "text-anchor": "end" }, shownNumber(high, width)),
  );
}

/**
 * The density around a clock's face: the longer the ray, the likelier.
 * @param {Pieces} pieces
 * @param {number} own
 * @param {number} period
 * @param {string} words
 */
function rose(pieces, own, period, words) {
  const [inner, outer] = [34, 84];
  const height = (/** @type {Pieces[number]} */ piece) => piece.probability / Math.max(piece.to - piece.from, period / 360);
  const most = Math.max(...pieces.map(height), 1e-12);
  const wedge = (/** @type {Pieces[number]} */ piece) => {
    // Single angles and whole turns are no arcs.
    const from = piece.from / period;
    const to = Math.min(Math.max(piece.to / period, from + 1 / 720), from + 0.99999);
    const radius = inner + ((outer - inner) * height(piece)) / most;
    const far = to - from > 0.5 ? 1 : 0;
    const point = (/** @type {number} */ share, /** @type {number} */ at) => onFace(share, at).map((part) => part.toFixed(3)).join(" ");
    const path = `M ${point(from, inner)} L ${point(from, radius)} A ${radius} ${radius} 0 ${far} 1 ${point(to, radius)} L ${point(to, inner)} A ${inner} ${inner} 0 ${far} 0 ${point(from, inner)} Z`;
    return svg("path", { class: "bar", d: path });
  };
  const scale = angleScale(period);
  const marks = scale.marks.map((text, quarter) => {
    const [x, y] = onFace(quarter / 4, outer + 16);
    const anchor = quarter === 1 ? "start" : quarter === 3 ? "end" : "middle";
    return svg("text", { x: quarter % 2 === 1 ? x - Math.sign(x) * 6 : x, y: y + 4, "text-anchor": anchor }, text);
  });
  const [x, y] = onFace(own / period, outer + 6);
  const face = svg("g", { transform: `translate(${WIDTH / 2} 112)` }, ...pieces.map(wedge), ...marks, svg("line", { class: "own-line", x1: 0, y1: 0, x2: x, y2: y }), svg("circle", { class: "mark", r: 5, cx: x, cy: y }));
  return figure(224, words, face);
}

/**
 * The area with its cells: the own one stands out as much as it is likelier.
 * @param {Extract<Channel, { kind: "places" }>} channel
 * @param {Extract<Question, { kind: "place" }>} question
 */
function cells(channel, question) {
  const frame = areaFrame(question.low, question.high);
  const scale = 200 / Math.max(frame.width, frame.height);
  const [width, height] = [frame.width * scale, frame.height * scale];
  const [w, h] = [width / channel.side, height / channel.side];
  const left = (WIDTH - width) / 2;
  const rect = (/** @type {number} */ cell, /** @type {string} */ name) =>
    svg("rect", { class: name, x: left + (cell % channel.side) * w, y: height - (Math.floor(cell / channel.side) + 1) * h + 4, width: w, height: h });
  // Single cells can no longer be seen beyond this.
  const others = channel.side > 24 ? [] : Array.from({ length: channel.side ** 2 }, (_, cell) => rect(cell, "faint"));
  const all = svg("rect", { class: "faint", x: left, y: 4, width, height });
  return figure(
    height + 30, channel.words, all, ...others, rect(channel.cell, "bar own"),
    svg("text", { x: WIDTH / 2, y: height + 24, "text-anchor": "middle" }, `your cell ${percent(channel.own)}, each other ${percent(channel.other)}`),
  );
}

/**
 * The picture of a channel.
 * @param {Channel} channel
 * @param {Question} question
 * @param {string} value the own answer
 */
export function drawChannel(channel, question, value) {
  if (channel.kind === "choices") return choices(channel);
  if (channel.kind === "places" && question.kind === "place") return cells(channel, question);
  if (channel.kind === "numbers") {
    return channel.period === undefined
      ? density(channel.pieces, Number(value), channel.words)
      : rose(channel.pieces, Number(value), channel.period, channel.words);
  }
  const parts = channel.kind === "parts" ? channel.parts : [];
  return bars(parts.map((part) => ({ label: part.what, probability: part.probability, own: false })), channel.words);
}
