
export class PrivetError extends Error {
  constructor(code, message) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

export class PolicyError extends PrivetError {}

export class InputError extends PrivetError {}

export class RefusedError extends PrivetError {}

export class StorageError extends PrivetError {}

export class ReportError extends PrivetError {}

const CLASSES = /** @type {const} */ ([
  ["answer-missing", InputError],
  ["answer-unknown", InputError],
  ["answer-public-value", InputError],
  ["answer-", RefusedError],
  ["input-", InputError],
  ["ledger-", StorageError],
  ["mechanism-", PolicyError],
  ["parameter-", PolicyError],
  ["policy-", PolicyError],
  ["report-", ReportError],
]);

export function errorOf(code, message) {
  const found = CLASSES.find(([prefix]) => code.startsWith(prefix));
  return found === undefined ? new PrivetError(code, message) : new found[1](code, message);
}

export function translated(call) {
  try {
    return call();
  } catch (thrown) {
    if (typeof thrown !== "string") throw thrown;
    const end = thrown.indexOf("\n");
    throw errorOf(thrown.slice(0, end), thrown.slice(end + 1));
  }
}
