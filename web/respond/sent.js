/** What was sent, and what it tells. */

import { toHex } from "../client/index.js";
import { angleScale, turned } from "./angle.js";
import { html } from "./dom.js";

/** @typedef {import("../client/index.d.ts").Policy} Policy */
/** @typedef {import("../client/index.d.ts").RecordedReport} RecordedReport */
/** @typedef {import("../client/index.d.ts").ShownAnswer} ShownAnswer */

/**
 * A reported number as the question reads it.
 * @param {Policy} policy
 * @param {ShownAnswer} answer
 */
function words(policy, answer) {
  const question = policy.questions.find((one) => one.name === answer.name);
  if (question?.kind === "angle" && answer.kind === "number") {
    return angleScale(question.period).say(turned(answer.value, question.period));
  }
  return answer.words;
}

/**
 * @param {Policy} policy
 * @param {RecordedReport} recorded
 * @param {string} note
 */
export function showSent(policy, recorded, note) {
  const report = policy.describeReport(recorded.bytes);
  const answers = report.answers.map((answer) =>
    html(
      "li", {},
      html("p", {}, html("strong", {}, answer.question), " The report says: ", html("strong", { class: "reported" }, words(policy, answer)), "."),
      html("p", { class: "hint" }, answer.inference),
    ),
  );
  const shown = report.public.map((field) => html("li", {}, `${field.name}, as it is: ${field.value}`));
  const lot = policy.contribution === "sample" && policy.questions.length > 1
    ? [html("p", {}, `This report answers one of ${policy.questions.length} questions, drawn by lot.`)]
    : [];
  return html(
    "section", { class: "panel sent" },
    html("h2", { tabindex: -1 }, "What was sent"),
    ...(note === "" ? [] : [html("p", { class: "notice" }, note)]),
    html("p", {}, "This random report is stored at the collector. It can be quite different from your answer: that is what protects you."),
    ...lot,
    html("ul", { class: "answers" }, ...answers, ...shown),
    html("h3", {}, "What the collector can infer"),
    html("p", {}, "From this report alone, no more than is stated above. From the reports of many people, how often each answer was given, with an error that it knows."),
    html(
      "details", {}, html("summary", {}, "The report itself"),
      html("p", {}, `${recorded.bytes.length} bytes. Its name is ${report.id}: with it, the report can be withdrawn.`),
      html("pre", { class: "words", "data-report": toHex(recorded.bytes) }, html("code", {}, toHex(recorded.bytes))),
    ),
  );
}
