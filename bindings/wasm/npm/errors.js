/** Errors with stable codes. None of them holds a private value. */

/** Something went wrong; `code` says what, for programs. */
export class PrivetError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A policy or a mechanism that this program does not understand or trust. */
export class PolicyError extends PrivetError {}

/** A value that does not fit its question. */
export class InputError extends PrivetError {}

/** The answer is not given: the collection is not open, was answered before, or a budget would be exceeded. */
export class RefusedError extends PrivetError {}

/** The records cannot be kept, so nothing is sent. */
export class StorageError extends PrivetError {}

/** A report that is not one of this policy. */
export class ReportError extends PrivetError {}

/** The first prefix that fits decides. */
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

/**
 * The error for a code.
 * @param {string} code
 * @param {string} message
 * @returns {PrivetError}
 */
export function errorOf(code, message) {
  const found = CLASSES.find(([prefix]) => code.startsWith(prefix));
  return found === undefined ? new PrivetError(code, message) : new found[1](code, message);
}

/**
 * Calls into the module, whose errors are texts: a code, a new line, a message.
 * @template T
 * @param {() => T} call
 * @returns {T}
 */
export function translated(call) {
  try {
    return call();
  } catch (thrown) {
    if (typeof thrown !== "string") throw thrown;
    const end = thrown.indexOf("\n");
    throw errorOf(thrown.slice(0, end), thrown.slice(end + 1));
  }
}
