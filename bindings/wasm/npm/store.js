/** Where records are kept. Nothing is sent before its record is stored. */

import { StorageError } from "./errors.js";

/** @typedef {import("./index.d.ts").Store} Store */
/** @typedef {{ version: 1, secret: string | null, records: string[], acknowledged: string[] }} State */

/** @returns {State} */
const emptyState = () => ({ version: 1, secret: null, records: [], acknowledged: [] });

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} text */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/**
 * A store over something that reads and writes one state as a whole.
 * @param {() => State} read
 * @param {(state: State) => void} write
 * @param {Store["exclusively"]} exclusively
 * @returns {Store}
 */
function storeOver(read, write, exclusively) {
  return {
    exclusively,
    async secret(fresh) {
      const state = read();
      if (state.secret === null) write({ ...state, secret: toHex(fresh) });
      return fromHex(read().secret ?? "");
    },
    async load() {
      return read().records;
    },
    async append(record) {
      const state = read();
      write({ ...state, records: [...state.records, record] });
    },
    async acknowledged() {
      return read().acknowledged;
    },
    async acknowledge(reportId) {
      const state = read();
      if (!state.acknowledged.includes(reportId)) write({ ...state, acknowledged: [...state.acknowledged, reportId] });
    },
  };
}

/**
 * Records that end with the program: for tests.
 * @returns {Store}
 */
export function memoryStore() {
  let state = emptyState();
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return storeOver(
    () => state,
    (next) => {
      state = next;
    },
    (work) => {
      const turn = last.then(work, work);
      last = turn;
      return turn;
    },
  );
}

/** @param {string} reason */
const unavailable = (reason) => new StorageError("ledger-storage", `the ledger cannot be kept: ${reason}`);

/**
 * Records in the browser's local storage, all under one key, so that each change is written wholly or not at all. A lock keeps two
 * tabs from drawing at once. Clearing the storage forgets what was spent.
 * @param {string} [key]
 * @returns {Store}
 */
export function browserStore(key = "privet") {
  const storage = usableStorage(key);
  const locks = globalThis.navigator?.locks;
  if (locks === undefined) throw unavailable("this page needs a secure connection (https)");
  return storeOver(
    () => readState(storage.getItem(key)),
    (state) => {
      const text = JSON.stringify(state);
      try {
        storage.setItem(key, text);
      } catch {
        throw unavailable("the browser's storage is full");
      }
      if (storage.getItem(key) !== text) throw unavailable("the browser does not keep it");
    },
    (work) => locks.request(key, work),
  );
}

/**
 * The browser's storage, if it keeps what is written.
 * @param {string} key
 */
function usableStorage(key) {
  const probe = `${key}-probe`;
  try {
    const storage = globalThis.localStorage;
    storage.setItem(probe, "1");
    const isKept = storage.getItem(probe) === "1";
    storage.removeItem(probe);
    if (isKept) return storage;
  } catch {
    // Refused in the same words below.
  }
  throw unavailable("the browser's storage is switched off");
}

/**
 * @param {string | null} text
 * @returns {State}
 */
function readState(text) {
  if (text === null) return emptyState();
  const isTexts = (/** @type {unknown} */ list) => Array.isArray(list) && list.every((item) => typeof item === "string");
  try {
    const state = JSON.parse(text);
    const isSecret = state.secret === null || /^[0-9a-f]{64}$/.test(state.secret);
    if (state.version === 1 && isSecret && isTexts(state.records) && isTexts(state.acknowledged)) return state;
  } catch {
    // Refused in the same words below.
  }
  // What was spent is not known any more, so nothing more may be spent on it.
  throw new StorageError("ledger-damaged", "the ledger is damaged: it cannot be read");
}
