/** One question: its input, the channel of the chosen answer, and what is wrong with it. */

import { angleScale } from "./angle.js";
import { makeArea } from "./area.js";
import { makeDial } from "./dial.js";
import { html } from "./dom.js";
import { drawChannel } from "./picture.js";

/** @typedef {import("../client/index.d.ts").Channel} Channel */
/** @typedef {import("../client/index.d.ts").Question} Question */

/** Beyond this many, choices are a list to choose from, and then a field to search in. */
const MOST_BUTTONS = 12;
const MOST_LISTED = 300;

/**
 * @typedef {object} Input
 * @property {HTMLElement | SVGElement} element
 * @property {HTMLElement | SVGElement} target what gets the focus
 */

/**
 * An input that belongs to a question.
 * @param {Question} question
 * @param {string} id
 * @param {(value: string | undefined) => void} onChange
 * @returns {Input}
 */
function makeInput(question, id, onChange) {
  switch (question.kind) {
    case "yes-no":
      return buttons(id, [["yes", "1"], ["no", "0"]], onChange);
    case "choice":
      return choice(id, question.labels, question.question, onChange);
    case "number":
      return number(id, question, onChange);
    case "angle": {
      const scale = angleScale(question.period);
      const dial = makeDial(scale, question.question, (value) => onChange(String(value)));
      return { element: dial, target: dial };
    }
    case "place": {
      const area = makeArea(question.low, question.high, question.question, (point) => onChange(point.join(",")));
      return { element: area, target: /** @type {HTMLElement} */ (area.firstElementChild) };
    }
    case "word": {
      const field = html("input", { id, type: "text", maxlength: question.longest, autocomplete: "off", "aria-label": question.question });
      field.addEventListener("input", () => onChange(field.value));
      return { element: field, target: field };
    }
    default:
      throw new Error("unknown kind of question");
  }
}

/**
 * @param {string} id
 * @param {[string, string][]} options what is read, and the value
 * @param {(value: string) => void} onChange
 * @returns {Input}
 */
function buttons(id, options, onChange) {
  const labels = options.map(([text, value], index) => {
    // Without a name that is sent: there is nothing here that a browser could send by itself.
    const radio = html("input", { type: "radio", name: id, value, id: `${id}-${index}` });
    radio.addEventListener("change", () => onChange(value));
    return html("label", { class: "choice", for: `${id}-${index}` }, radio, text);
  });
  const element = html("div", { class: "choices" }, ...labels);
  return { element, target: /** @type {HTMLElement} */ (labels[0]?.firstElementChild ?? element) };
}

/**
 * @param {string} id
 * @param {readonly string[]} labels
 * @param {string} asked
 * @param {(value: string | undefined) => void} onChange
 * @returns {Input}
 */
function choice(id, labels, asked, onChange) {
  if (labels.length <= MOST_BUTTONS) return buttons(id, labels.map((label) => [label, label]), onChange);
  const options = labels.map((label) => html("option", { value: label }, label));
  if (labels.length <= MOST_LISTED) {
    const list = html("select", { id, "aria-label": asked }, html("option", { value: "" }, "Choose …"), ...options);
    list.addEventListener("change", () => onChange(list.value === "" ? undefined : list.value));
    return { element: list, target: list };
  }
  const field = html("input", { id, type: "search", list: `${id}-list`, autocomplete: "off", "aria-label": asked });
  const known = new Set(labels);
  field.addEventListener("input", () => onChange(known.has(field.value) ? field.value : undefined));
  const element = html("div", {}, field, html("datalist", { id: `${id}-list` }, ...options));
  return { element, target: field };
}

/**
 * @param {string} id
 * @param {Extract<Question, { kind: "number" }>} question
 * @param {(value: string | undefined) => void} onChange
 * @returns {Input}
 */
function number(id, question, onChange) {
  const { low, high } = question;
  const field = html("input", {
    id, type: "number", min: low, max: high, step: "any", inputmode: "decimal", autocomplete: "off",
    "aria-label": question.question, "aria-describedby": `${id}-range`,
  });
  field.addEventListener("input", () => onChange(field.value === "" ? undefined : field.value));
  const range = html("p", { class: "hint", id: `${id}-range` }, `A number from ${low} to ${high}.`);
  return { element: html("div", { class: "narrow" }, field, range), target: field };
}

/**
 * What a value is called on the page.
 * @param {Question} question
 * @param {string} value
 */
function said(question, value) {
  if (question.kind === "yes-no") return value === "1" ? "yes" : "no";
  if (question.kind === "angle") return angleScale(question.period).say(Number(value));
  if (question.kind === "place") return value.split(",").map((part) => String(Number(Number(part).toPrecision(5)))).join(", ");
  return value;
}

/**
 * What is allowed, for whoever gave something else.
 * @param {Question} question
 */
function allowed(question) {
  if (question.kind === "number") return `Please give a number from ${question.low} to ${question.high}.`;
  if (question.kind === "word") return `Please give a word of at most ${question.longest} letters.`;
  return "This answer does not fit the question.";
}

/**
 * Makes a question. `channelOf` gives the channel of an answer, and throws if the answer does not fit.
 * @param {Question} question
 * @param {number} index
 * @param {(value: string) => Channel} channelOf
 */
export function makeQuestion(question, index, channelOf) {
  const id = `question-${index}`;
  const problem = html("p", { class: "notice error", role: "alert", hidden: true });
  const chosen = html("p", { class: "chosen-text" });
  const words = html("p", {});
  const picture = html("div", { class: "channel-picture" });
  const channel = html(
    "div", { class: "channel-box", hidden: true },
    chosen, html("h3", {}, "Your answer is hidden among these"), words, picture,
  );
  const live = html("div", { "aria-live": "polite" }, channel);
  /** @type {string | undefined} */
  let value;

  /** @param {string} text */
  function complain(text) {
    problem.textContent = text;
    problem.hidden = text === "";
  }

  /** @param {string | undefined} next */
  function change(next) {
    value = next;
    channel.hidden = true;
    complain("");
    if (next === undefined) return;
    try {
      const shown = channelOf(next);
      chosen.replaceChildren("You chose ", html("strong", {}, said(question, next)), ".");
      words.textContent = shown.words;
      picture.replaceChildren(drawChannel(shown, question, next));
      channel.hidden = false;
    } catch {
      value = undefined;
      complain(allowed(question));
    }
  }

  const input = makeInput(question, id, change);
  const forever = question.permanent
    ? [html("p", { class: "hint" }, "This answer is randomised once and for ever: later reports are noise around the same draw.")]
    : [];
  const element = html("fieldset", { class: "panel question" }, html("legend", {}, question.question), ...forever, input.element, problem, live);
  return {
    name: question.name,
    element,
    value: () => value,
    complain,
    focus: () => input.target.focus(),
  };
}

/** @param {string} message */
export function sentence(message) {
  const end = /[.!?]$/.test(message) ? "" : ".";
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${end}`;
}
