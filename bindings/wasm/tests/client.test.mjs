// The npm package: the same reports as the Rust client, one record before anything is handed out, and errors without values.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import {
  InputError, load, Mechanism, memoryStore, Policy, PolicyError, PrivetError, RefusedError, ReportError, StorageError,
} from "../../../web/client/index.js";

await load();

const expected = process.env.PRIVET_EXPECTED;
assert.ok(expected, "PRIVET_EXPECTED names the reports of the Rust client: run `cargo xtask test`");
const { cases } = JSON.parse(await readFile(expected, "utf8"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const day = "2026-03-15";

/** A store whose secret is given. */
function storeWith(secret) {
  const store = memoryStore();
  return { ...store, secret: () => store.secret(secret) };
}

const caseOf = (name) => cases.find((one) => one.name === name);
const policyOf = (name) => new Policy(caseOf(name).policy, caseOf(name).id);

test("every kind of mechanism is compared", () => {
  const names = cases.map((one) => one.name);
  for (const name of [
    "randomized-response", "generalized-randomized-response", "rappor", "count-mean-sketch", "laplace", "gaussian",
    "purkayastha", "cells of a rectangle", "permanent optimized-unary-encoding", "minimax-unbiased", "solved circle",
    "solved categories",
  ]) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(names.length >= 40, String(names.length));
});

for (const { name, id, policy: text, draws } of cases) {
  test(`${name}: the same report and the same record as in Rust`, async () => {
    const policy = new Policy(text, id);
    for (const { value, seed, report, record } of draws) {
      const store = storeWith(new Uint8Array(32).fill(seed));
      const made = await policy.answer({ values: { a: value } }, store, { today: day, insecureSeed: BigInt(seed) });
      assert.equal(hex(made.bytes), report);
      assert.deepEqual(await store.load(), [record]);
    }
    policy.free();
  });

  test(`${name}: the channel is shown as in Rust`, () => {
    const policy = new Policy(text, id);
    for (const { value, channel } of draws.filter((draw) => draw.seed === 0)) {
      const shown = policy.channel("a", value);
      assert.equal(shown.words, channel.words);
      assert.deepEqual(rounded(shown), rounded(channel));
    }
    policy.free();
  });
}

/** Sums of floating-point numbers may differ in their last digits where the logarithm does. */
function rounded(value) {
  if (typeof value === "number") return Number(value.toPrecision(9));
  if (Array.isArray(value)) return value.map(rounded);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]));
}

test("another seed gives another report", async () => {
  const policy = policyOf("laplace");
  const report = async (seed) =>
    hex((await policy.answer({ values: { a: 3 } }, memoryStore(), { today: day, insecureSeed: seed })).bytes);
  assert.notEqual(await report(1n), await report(2n));
});

test("without a seed reports are unmarked, differ, and are read back", async () => {
  const policy = policyOf("laplace");
  const draw = async () => (await policy.answer({ values: { a: 3 } }, memoryStore(), { today: day })).bytes;
  const [one, other] = [await draw(), await draw()];
  assert.equal(one[1], 0);
  assert.notEqual(hex(one), hex(other));
  const shown = policy.describeReport(one);
  assert.equal(shown.answers[0].kind, "number");
  assert.equal(shown.id, hex(one).slice(20, 52));
});

test("asking again hands out the same bytes, and pending ones wait to be acknowledged", async () => {
  const policy = policyOf("generalized-randomized-response");
  const store = memoryStore();
  const answers = { values: { a: "bus" } };
  const [first, second] = await Promise.all([
    policy.answer(answers, store, { today: day }),
    policy.answer({ values: { a: "car" } }, store, { today: day }),
  ]);
  assert.deepEqual([first.repeated, second.repeated], [false, true]);
  assert.equal(hex(first.bytes), hex(second.bytes));
  assert.equal((await store.load()).length, 1);
  const [waiting] = await policy.pending(store);
  assert.equal(hex(waiting.bytes), hex(first.bytes));
  await store.acknowledge(waiting.id);
  assert.deepEqual(await policy.pending(store), []);
  assert.equal((await policy.recorded(store)).length, 1);
});

test("a report is not handed out if its record is not stored", async () => {
  const policy = policyOf("laplace");
  const store = { ...memoryStore(), append: () => Promise.reject(new StorageError("ledger-storage", "full")) };
  await assert.rejects(policy.answer({ values: { a: 3 } }, store, { today: day }), { code: "ledger-storage" });
});

test("refusals have classes and codes, and hold no values", async () => {
  const policy = policyOf("laplace");
  const refused = async (answers, today, records) => {
    const store = memoryStore();
    for (const record of records ?? []) await store.append(record);
    return policy.answer(answers, store, { today }).then(() => assert.fail("no error"), (error) => error);
  };
  const outside = await refused({ values: { a: "77.125" } }, day);
  assert.ok(outside instanceof InputError && outside instanceof PrivetError);
  assert.equal(outside.code, "input-outside-domain");
  assert.ok(!outside.message.includes("77.125"));
  for (const [answers, today, records, type, code] of [
    [{ values: {} }, day, [], InputError, "answer-missing"],
    [{ values: { a: 1, b: 2 } }, day, [], InputError, "answer-unknown"],
    [{ values: { a: 1 } }, "2027-01-01", [], RefusedError, "answer-not-open"],
    [{ values: { a: 1 } }, day, ["{"], StorageError, "ledger-damaged"],
    [{ values: { a: Number.NaN } }, day, [], InputError, "input-outside-domain"],
  ]) {
    const error = await refused(answers, today, records);
    assert.ok(error instanceof type, `${code}: ${error}`);
    assert.equal(error.code, code);
  }
  assert.throws(() => policy.describeReport(new Uint8Array(3)), ReportError);
});

test("policies are known by their hash", () => {
  const { policy: text, id } = caseOf("laplace");
  const other = id.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
  assert.throws(() => new Policy(text, other), (error) => error instanceof PolicyError && error.code === "policy-other");
  assert.throws(() => new Policy(text.replace("laplace", "unheard-of"), id), PolicyError);
  assert.throws(() => new Policy("no policy", id), PolicyError);
});

test("a policy tells its questions", () => {
  const policy = policyOf("generalized-randomized-response");
  assert.deepEqual(policy.questions[0].labels, ["walk", "bicycle", "bus", "train", "car"]);
  assert.equal(policyOf("randomized-response").questions[0].kind, "yes-no");
  assert.deepEqual(policyOf("cells of a rectangle").questions[0].high, [2, 3]);
  assert.equal(policyOf("purkayastha").questions[0].period, 24);
  assert.match(policy.statementText, /randomised on your device/);
});

test("many values at once", () => {
  const mechanism = new Mechanism("grr", { domain: "categories:16", epsilon: 2 });
  const reports = mechanism.randomize(new Uint32Array(1000).fill(3));
  assert.equal(reports.length, 1000 * mechanism.reportBytes);
  const own = Array.from({ length: 1000 }, (_, row) => reports[row * mechanism.reportBytes + 10]).filter((value) => value === 3);
  // e^2 / (15 + e^2) = 0.330; a correct sampler leaves this range with a probability below 1e-9.
  assert.ok(own.length > 240 && own.length < 425, String(own.length));
  assert.throws(() => mechanism.randomize(new Uint32Array([16])), InputError);
  assert.throws(() => mechanism.randomize(new Float64Array([1])), InputError);
  assert.throws(() => new Mechanism("nonsense", { domain: "binary", epsilon: 1 }), PolicyError);
  assert.throws(() => new Mechanism("grr", { domain: "categories:16" }), PolicyError);
  const place = new Mechanism("window-2d", { domain: "rectangle:0,1,0,1", epsilon: 1 });
  assert.equal(place.randomize(new Float64Array([0.5, 0.5, 0.1, 0.9])).length, 2 * place.reportBytes);
  assert.throws(() => place.randomize(new Float64Array([0.5])), PrivetError);
  assert.equal(new Mechanism("grr", { domain: "categories:a,b,c", epsilon: 1 }).randomize(["a", "c"]).length, 22);
});
