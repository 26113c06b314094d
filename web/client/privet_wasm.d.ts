/* tslint:disable */
/* eslint-disable */

/**
 * An answer that is about to be recorded.
 */
export class WasmAnswer {
    private constructor();
    free(): void;
    [Symbol.dispose](): void;
    /**
     * What must be stored first; nothing if the report was recorded before.
     */
    readonly record: string | undefined;
    /**
     * What is sent, after the record is stored.
     */
    readonly report: Uint8Array;
}

/**
 * A mechanism with all its parameters.
 */
export class WasmMechanism {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * A mechanism that was solved for, from its file.
     *
     * # Errors
     * When the file is damaged.
     */
    static fromFile(text: string): WasmMechanism;
    /**
     * Builds a mechanism by its name, on a written domain.
     *
     * # Errors
     * When there is none, the parameters do not fit, or it has to be solved for.
     */
    constructor(name: string, domain: string, epsilon: number, delta?: number | null, bins?: number | null);
    /**
     * Draws a report for each category, given by its index.
     *
     * # Errors
     * When a value lies outside of the domain; nothing is drawn then.
     */
    randomizeIndices(values: Uint32Array | number[], insecure_seed?: bigint | null): Uint8Array;
    /**
     * Draws a report for each number or angle; for places, for each pair of numbers.
     *
     * # Errors
     * As for the others.
     */
    randomizeNumbers(values: Float64Array | number[], insecure_seed?: bigint | null): Uint8Array;
    /**
     * Draws a report for each written value.
     *
     * # Errors
     * As for the others.
     */
    randomizeTexts(texts: string[], insecure_seed?: bigint | null): Uint8Array;
    /**
     * The delta that one report keeps.
     */
    readonly delta: number;
    /**
     * The epsilon that one report keeps, computed from the weights that are drawn with, rounded up.
     */
    readonly epsilon: number;
    /**
     * How many bytes each report has, its header included.
     */
    readonly reportBytes: number;
}

/**
 * A resolved policy with its mechanisms.
 */
export class WasmPolicy {
    free(): void;
    [Symbol.dispose](): void;
    /**
     * Checks, draws, and makes the record and the report in one step. Values and public fields are names, each followed by its value.
     *
     * # Errors
     * When a value does not fit, the collection is not open, or a budget would be exceeded.
     */
    answer(values: string[], _public: string[], records: string[], secret: Uint8Array | number[], today: string, insecure_seed?: bigint | null): WasmAnswer;
    /**
     * What can become of an answer, as JSON. Nothing is drawn.
     *
     * # Errors
     * When the answer does not fit the question.
     */
    channel(name: string, value: string): string;
    /**
     * A report as its person reads it, as JSON.
     *
     * # Errors
     * When it is not a report of this policy.
     */
    describeReport(report: Uint8Array | number[]): string;
    /**
     * Everything that does not depend on an answer, as JSON: the policy's head, its questions and the statement.
     */
    description(): string;
    /**
     * The epoch of a day, counted from the first one; nothing outside of the collection.
     *
     * # Errors
     * When it is no day.
     */
    epochOf(day: string): number | undefined;
    /**
     * Reads a resolved policy, which must be the one with this id.
     *
     * # Errors
     * When it is another one, or one that this program does not understand.
     */
    constructor(text: string, id: string);
    /**
     * The stored answers to this policy, as JSON.
     *
     * # Errors
     * When a record is damaged.
     */
    recorded(records: string[]): string;
}

export type InitInput = RequestInfo | URL | Response | BufferSource | WebAssembly.Module;

export interface InitOutput {
    readonly memory: WebAssembly.Memory;
    readonly __wbg_wasmanswer_free: (a: number, b: number) => void;
    readonly __wbg_wasmmechanism_free: (a: number, b: number) => void;
    readonly __wbg_wasmpolicy_free: (a: number, b: number) => void;
    readonly wasmanswer_record: (a: number) => [number, number];
    readonly wasmanswer_report: (a: number) => [number, number];
    readonly wasmmechanism_delta: (a: number) => number;
    readonly wasmmechanism_epsilon: (a: number) => number;
    readonly wasmmechanism_fromFile: (a: number, b: number) => [number, number, number];
    readonly wasmmechanism_new: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number) => [number, number, number];
    readonly wasmmechanism_randomizeIndices: (a: number, b: number, c: number, d: number, e: bigint) => [number, number, number, number];
    readonly wasmmechanism_randomizeNumbers: (a: number, b: number, c: number, d: number, e: bigint) => [number, number, number, number];
    readonly wasmmechanism_randomizeTexts: (a: number, b: number, c: number, d: number, e: bigint) => [number, number, number, number];
    readonly wasmmechanism_reportBytes: (a: number) => number;
    readonly wasmpolicy_answer: (a: number, b: number, c: number, d: number, e: number, f: number, g: number, h: number, i: number, j: number, k: number, l: number, m: bigint) => [number, number, number];
    readonly wasmpolicy_channel: (a: number, b: number, c: number, d: number, e: number) => [number, number, number, number];
    readonly wasmpolicy_describeReport: (a: number, b: number, c: number) => [number, number, number, number];
    readonly wasmpolicy_description: (a: number) => [number, number];
    readonly wasmpolicy_epochOf: (a: number, b: number, c: number) => [number, number, number];
    readonly wasmpolicy_new: (a: number, b: number, c: number, d: number) => [number, number, number];
    readonly wasmpolicy_recorded: (a: number, b: number, c: number) => [number, number, number, number];
    readonly __wbindgen_malloc: (a: number, b: number) => number;
    readonly __wbindgen_realloc: (a: number, b: number, c: number, d: number) => number;
    readonly __wbindgen_free: (a: number, b: number, c: number) => void;
    readonly __wbindgen_exn_store: (a: number) => void;
    readonly __externref_table_alloc: () => number;
    readonly __wbindgen_externrefs: WebAssembly.Table;
    readonly __externref_table_dealloc: (a: number) => void;
    readonly __externref_drop_slice: (a: number, b: number) => void;
    readonly __wbindgen_start: () => void;
}

export type SyncInitInput = BufferSource | WebAssembly.Module;

/**
 * Instantiates the given `module`, which can either be bytes or
 * a precompiled `WebAssembly.Module`.
 *
 * @param {{ module: SyncInitInput }} module - Passing `SyncInitInput` directly is deprecated.
 *
 * @returns {InitOutput}
 */
export function initSync(module: { module: SyncInitInput } | SyncInitInput): InitOutput;

/**
 * If `module_or_path` is {RequestInfo} or {URL}, makes a request and
 * for everything else, calls `WebAssembly.instantiate` directly.
 *
 * @param {{ module_or_path: InitInput | Promise<InitInput> }} module_or_path - Passing `InitInput` directly is deprecated.
 *
 * @returns {Promise<InitOutput>}
 */
export default function __wbg_init (module_or_path: { module_or_path: InitInput | Promise<InitInput> } | InitInput | Promise<InitInput>): Promise<InitOutput>;
