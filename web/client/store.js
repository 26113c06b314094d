
import { StorageError } from "./errors.js";


const emptyState = () => ({ version: 1, secret: null, records: [], acknowledged: [] });

export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

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

export function memoryStore() {
  let state = emptyState();
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

const unavailable = (reason) => new StorageError("ledger-storage", `the ledger cannot be kept: ${reason}`);

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
