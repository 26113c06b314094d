
import { translated } from "./errors.js";
import initialize, { initSync, WasmMechanism, WasmPolicy } from "./privet_wasm.js";
import { fromHex } from "./store.js";

export { InputError, PolicyError, PrivetError, RefusedError, ReportError, StorageError } from "./errors.js";
export { browserStore, memoryStore, toHex } from "./store.js";


const MODULE = new URL("./privet_wasm_bg.wasm", import.meta.url);

let loading;

export function load() {
  loading ??= MODULE.protocol === "file:" ? loadFile() : initialize({ module_or_path: MODULE }).then(() => {});
  return loading;
}

async function loadFile() {
  const [{ readFile }, { webcrypto }] = await Promise.all([import("node:fs/promises"), import("node:crypto")]);
  if (globalThis.crypto === undefined) Object.defineProperty(globalThis, "crypto", { value: webcrypto });
  initSync({ module: await readFile(MODULE) });
}

export function localDay(now = new Date()) {
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  return `${String(now.getFullYear()).padStart(4, "0")}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function written(value) {
  if (typeof value === "boolean") return value ? "1" : "0";
  return Array.isArray(value) ? value.join(",") : String(value);
}

const pairs = (values) => Object.entries(values).flatMap(([name, value]) => [name, written(value)]);

export class Policy {
  #wasm;

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

  epochOf(day) {
    return translated(() => this.#wasm.epochOf(day));
  }

  channel(name, value) {
    return JSON.parse(translated(() => this.#wasm.channel(name, written(value))));
  }

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

  async pending(store) {
    const recorded = await this.recorded(store);
    return recorded.filter((/** @type {{ acknowledged: boolean }} */ one) => !one.acknowledged);
  }

  describeReport(bytes) {
    return JSON.parse(translated(() => this.#wasm.describeReport(bytes)));
  }

  free() {
    this.#wasm.free();
  }
}

export class Mechanism {
  #wasm;

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

  randomize(values, { insecureSeed } = {}) {
    return translated(() => {
      if (values instanceof Uint32Array) return this.#wasm.randomizeIndices(values, insecureSeed);
      if (values instanceof Float64Array) return this.#wasm.randomizeNumbers(values, insecureSeed);
      return this.#wasm.randomizeTexts(values, insecureSeed);
    });
  }

  free() {
    this.#wasm.free();
  }
}
