/** Privet on the device: answers are randomised here, and only the randomised report leaves. */

import { translated } from "./errors.js";
import initialize, { initSync, WasmMechanism, WasmPolicy } from "./privet_wasm.js";
import { fromHex } from "./store.js";

export { InputError, PolicyError, PrivetError, RefusedError, ReportError, StorageError } from "./errors.js";
export { browserStore, memoryStore, toHex } from "./store.js";

/** @typedef {import("./index.d.ts").Store} Store */

const MODULE = new URL("./privet_wasm_bg.wasm", import.meta.url);

/** @type {Promise<void> | undefined} */
let loading;

/** Loads the module, once. Everything else works after that. */
export function load() {
  loading ??= MODULE.protocol === "file:" ? loadFile() : initialize({ module_or_path: MODULE }).then(() => {});
  return loading;
}

/** Node reads the module from its file, and before version 19 has no global generator. */
async function loadFile() {
  const [{ readFile }, { webcrypto }] = await Promise.all([import("node:fs/promises"), import("node:crypto")]);
  if (globalThis.crypto === undefined) Object.defineProperty(globalThis, "crypto", { value: webcrypto });
  initSync({ module: await readFile(MODULE) });
}

/**
 * The day where the person lives, as policies write it.
 * @param {Date} [now]
 */
export function localDay(now = new Date()) {
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  return `${String(now.getFullYear()).padStart(4, "0")}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/**
 * A value as the module reads it.
 * @param {import("./index.d.ts").Value} value
 */
function written(value) {
  if (typeof value === "boolean") return value ? "1" : "0";
  return Array.isArray(value) ? value.join(",") : String(value);
}

/**
 * Names, each followed by its value.
 * @param {Readonly<Record<string, import("./index.d.ts").Value>>} values
 */
const pairs = (values) => Object.entries(values).flatMap(([name, value]) => [name, written(value)]);

/** A policy in which everything is decided, known by the hash of its text. */
export class Policy {
  #wasm;

  /**
   * Reads a resolved policy, which must be the one with this id.
   * @param {string} text
   * @param {string} id
   */
  constructor(text, id) {
    this.#wasm = translated(() => new WasmPolicy(text, id));
    const description = JSON.parse(this.#wasm.description());
    this.id = description.id;
    this.name = description.name;
    this.purpose = description.purpose;
    this.origin = description.origin;
    this.opens = description.opens;
    this.closes = description.closes;
    this.epoch = description.epoch;
    this.answers = description.answers;
    this.contribution = description.contribution;
    this.questions = description.questions;
    this.publicFields = description.public;
    this.statement = description.statement;
    this.statementText = description.statementText;
    Object.freeze(this);
  }

  /**
   * The epoch of a day, counted from the first one; undefined outside of the collection.
   * @param {string} day
   * @returns {number | undefined}
   */
  epochOf(day) {
    return translated(() => this.#wasm.epochOf(day));
  }

  /**
   * What can become of an answer. Nothing is drawn.
   * @param {string} name
   * @param {import("./index.d.ts").Value} value
   */
  channel(name, value) {
    return JSON.parse(translated(() => this.#wasm.channel(name, written(value))));
  }

  /**
   * Checks, draws and records in one step, and then hands out the report. If the epoch was answered before, the same bytes again.
   * @param {import("./index.d.ts").Answers} answers
   * @param {Store} store
   * @param {{ today?: string, insecureSeed?: bigint }} [options]
   */
  answer(answers, store, options = {}) {
    const [values, fields] = [pairs(answers.values), pairs(answers.public ?? {})];
    return store.exclusively(async () => {
      const secret = await store.secret(crypto.getRandomValues(new Uint8Array(32)));
      const records = await store.load();
      const today = options.today ?? localDay();
      const made = translated(() => this.#wasm.answer(values, fields, records, secret, today, options.insecureSeed));
      const { record, report } = made;
      made.free();
      if (record !== undefined) await store.append(record);
      return { bytes: report, repeated: record === undefined };
    });
  }

  /**
   * The reports of this policy that were recorded, with whether the collector has acknowledged them.
   * @param {Store} store
   */
  async recorded(store) {
    const records = await store.load();
    const acknowledged = new Set(await store.acknowledged());
    const own = JSON.parse(translated(() => this.#wasm.recorded(records)));
    return own.map((/** @type {{ id: string, day: string, epoch: number, report: string }} */ one) => ({
      id: one.id,
      day: one.day,
      epoch: one.epoch,
      bytes: fromHex(one.report),
      acknowledged: acknowledged.has(one.id),
    }));
  }

  /**
   * The reports that were recorded and are still to be sent.
   * @param {Store} store
   */
  async pending(store) {
    const recorded = await this.recorded(store);
    return recorded.filter((/** @type {{ acknowledged: boolean }} */ one) => !one.acknowledged);
  }

  /**
   * A report as its person reads it: what was reported, and what that tells.
   * @param {Uint8Array} bytes
   */
  describeReport(bytes) {
    return JSON.parse(translated(() => this.#wasm.describeReport(bytes)));
  }

  /** Gives the memory back. */
  free() {
    this.#wasm.free();
  }
}

/** One mechanism, for many values at once. Who uses it keeps the ledger. */
export class Mechanism {
  #wasm;

  /**
   * @param {string | { file: string }} mechanism an id or a synonym, or the text of a mechanism's file
   * @param {{ domain?: string, epsilon?: number, delta?: number, bins?: number }} [options]
   */
  constructor(mechanism, { domain = "", epsilon = Number.NaN, delta, bins } = {}) {
    this.#wasm = translated(() =>
      typeof mechanism === "string"
        ? new WasmMechanism(mechanism, domain, epsilon, delta, bins)
        : WasmMechanism.fromFile(mechanism.file),
    );
    this.reportBytes = this.#wasm.reportBytes;
    this.epsilon = this.#wasm.epsilon;
    this.delta = this.#wasm.delta;
    Object.freeze(this);
  }

  /**
   * Draws a report for each value; all of them back to back. Categories are given by their indices (`Uint32Array`), numbers and
   * angles as they are and places as pairs (`Float64Array`), anything as texts.
   * @param {Uint32Array | Float64Array | string[]} values
   * @param {{ insecureSeed?: bigint }} [options]
   * @returns {Uint8Array}
   */
  randomize(values, { insecureSeed } = {}) {
    return translated(() => {
      if (values instanceof Uint32Array) return this.#wasm.randomizeIndices(values, insecureSeed);
      if (values instanceof Float64Array) return this.#wasm.randomizeNumbers(values, insecureSeed);
      return this.#wasm.randomizeTexts(values, insecureSeed);
    });
  }

  /** Gives the memory back. */
  free() {
    this.#wasm.free();
  }
}
