/** A day, written 2026-03-31. */
export type Day = string;

/** A value as programs have it: a label, a number, yes or no, a place. */
export type Value = string | number | boolean | readonly [number, number];

/** Values by the names of their questions, and what is sent as it is. */
export interface Answers {
  readonly values: Readonly<Record<string, Value>>;
  readonly public?: Readonly<Record<string, string>>;
}

interface QuestionHead {
  readonly name: string;
  readonly question: string;
  readonly mechanism: string;
  readonly epsilon: number;
  /** Whether the answer is randomised once and for ever. */
  readonly permanent: boolean;
}

/** One question. */
export type Question = QuestionHead &
  (
    | { readonly kind: "yes-no" }
    | { readonly kind: "choice"; readonly labels: readonly string[] }
    | { readonly kind: "number"; readonly low: number; readonly high: number }
    | { readonly kind: "angle"; readonly period: number }
    | { readonly kind: "place"; readonly low: readonly [number, number]; readonly high: readonly [number, number] }
    | { readonly kind: "word"; readonly longest: number }
    | { readonly kind: "unknown" }
  );

/** A field that is sent as it is. */
export interface PublicField {
  readonly name: string;
  readonly values: readonly string[];
}

/** What can become of an answer, in words and for a picture. */
export type Channel = { readonly words: string } & (
  | {
      readonly kind: "choices";
      /** Whether each report names exactly one. */
      readonly exclusive: boolean;
      readonly choices: readonly { readonly label: string; readonly probability: number; readonly own: boolean }[];
      readonly others?: { readonly count: number; readonly each: number };
    }
  | {
      readonly kind: "numbers";
      readonly pieces: readonly { readonly from: number; readonly to: number; readonly probability: number }[];
      readonly period?: number;
    }
  | {
      readonly kind: "places";
      readonly exclusive: boolean;
      readonly side: number;
      readonly cell: number;
      readonly own: number;
      readonly other: number;
    }
  | {
      readonly kind: "parts";
      readonly parts: readonly { readonly what: string; readonly count: number; readonly probability: number }[];
    }
);

/** A report as its person reads it. */
export interface ShownReport {
  readonly id: string;
  readonly epoch: number;
  readonly public: readonly { readonly name: string; readonly value: string }[];
  readonly answers: readonly ShownAnswer[];
}

/** What was reported about one question. */
export type ShownAnswer = {
  readonly name: string;
  readonly question: string;
  /** What was reported. */
  readonly words: string;
  /** What that tells about the answer. */
  readonly inference: string;
} & (
  | { readonly kind: "choices"; readonly labels: readonly string[]; readonly count: number }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "places"; readonly cells: readonly number[] }
  | { readonly kind: "bits"; readonly bytes: number }
);

/** A report that is recorded and may be sent, any number of times. */
export interface PreparedReport {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether it was made before, so that nothing was drawn or spent. */
  readonly repeated: boolean;
}

/** A report in the ledger. */
export interface RecordedReport {
  readonly id: string;
  readonly day: Day;
  readonly epoch: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly acknowledged: boolean;
}

/** Where the ledger and the secret of permanent answers are kept. */
export interface Store {
  /** Does some work while nobody else may, no other tab either. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** The secret; the first time, the fresh one is kept. */
  secret(fresh: Uint8Array): Promise<Uint8Array>;
  /** All records, in the order in which they were appended. */
  load(): Promise<string[]>;
  /** Stores one more record, wholly or not at all. */
  append(record: string): Promise<void>;
  /** The ids of the reports that collectors have acknowledged. */
  acknowledged(): Promise<string[]>;
  /** Notes that a collector has stored a report. */
  acknowledge(reportId: string): Promise<void>;
}

/** Records in the browser's local storage, under one key. */
export function browserStore(key?: string): Store;

/** Records that end with the program: for tests. */
export function memoryStore(): Store;

/** Bytes in hexadecimal digits. */
export function toHex(bytes: Uint8Array): string;

/** Loads the module, once. Everything else works after that. */
export function load(): Promise<void>;

/** The day where the person lives. */
export function localDay(now?: Date): Day;

/** A policy in which everything is decided, known by the hash of its text. */
export class Policy {
  /** Reads a resolved policy, which must be the one with this id. */
  constructor(text: string, id: string);
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  readonly origin: string;
  readonly opens: Day;
  readonly closes: Day;
  readonly epoch: "day" | "week" | "month";
  readonly answers: "once" | "every-epoch";
  readonly contribution: "split" | "sample";
  readonly questions: readonly Question[];
  readonly publicFields: readonly PublicField[];
  /** What the policy means for a person, for programs. */
  readonly statement: Readonly<Record<string, unknown>>;
  /** The same in plain English. */
  readonly statementText: string;
  /** The epoch of a day, counted from the first one; undefined outside of the collection. */
  epochOf(day: Day): number | undefined;
  /** What can become of an answer. Nothing is drawn. */
  channel(name: string, value: Value): Channel;
  /** Checks, draws and records in one step, and then hands out the report. */
  answer(
    answers: Answers,
    store: Store,
    options?: {
      today?: Day;
      /** For tests: reports are marked, and collectors refuse them. */
      insecureSeed?: bigint;
    },
  ): Promise<PreparedReport>;
  /** The reports of this policy that were recorded. */
  recorded(store: Store): Promise<RecordedReport[]>;
  /** Those that are still to be sent. */
  pending(store: Store): Promise<RecordedReport[]>;
  /** A report as its person reads it. */
  describeReport(bytes: Uint8Array): ShownReport;
  /** Gives the memory back. */
  free(): void;
}

/** One mechanism, for many values at once. Who uses it keeps the ledger. */
export class Mechanism {
  constructor(
    mechanism: string | { readonly file: string },
    options?: { domain?: string; epsilon?: number; delta?: number; bins?: number },
  );
  /** How many bytes each report has, its header included. */
  readonly reportBytes: number;
  /** What one report keeps, computed from the weights that are drawn with. */
  readonly epsilon: number;
  readonly delta: number;
  /** Draws a report for each value; all of them back to back. */
  randomize(
    values: Uint32Array | Float64Array | string[],
    options?: {
      /** For tests: reports are marked, and collectors refuse them. */
      insecureSeed?: bigint;
    },
  ): Uint8Array;
  /** Gives the memory back. */
  free(): void;
}

/** Something went wrong; `code` says what, for programs. Never holds a private value. */
export class PrivetError extends Error {
  constructor(code: string, message: string);
  readonly code: string;
}
/** A policy or a mechanism that this program does not understand or trust. */
export class PolicyError extends PrivetError {}
/** A value that does not fit its question. */
export class InputError extends PrivetError {}
/** The collection is not open, was answered before, or a budget would be exceeded. */
export class RefusedError extends PrivetError {}
/** The records cannot be kept, so nothing is sent. */
export class StorageError extends PrivetError {}
/** A report that is not one of this policy. */
export class ReportError extends PrivetError {}
