/** The respondent's page in a real browser, against a real collector. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertAccessible, Collector, day, openBrowser, openPage } from "./support.js";

/** @type {Collector} */
let collector;
/** @type {import("playwright-core").Browser} */
let browser;

before(async () => {
  [collector, browser] = await Promise.all([Collector.start(), openBrowser()]);
});
after(async () => {
  await browser?.close();
  await collector?.stop();
});

let made = 0;

/**
 * A collection of its own for each test, since one is answered once.
 * @param {{ attributes?: string, head?: string, tokens?: boolean }} [wishes]
 */
async function collection({ attributes = ALL_KINDS, head = "", tokens = false } = {}) {
  made += 1;
  const policy = `name = "How we live ${made}"\npurpose = "Plan a town that fits"\norigin = "town.example"
opens = ${day(-2)}\ncloses = ${day(20)}\nepoch = "month"\nminimum_reports = 2\ncontribution = "split"\n${head}
[budget]\nepsilon = 10\nperiod = "month"\n${attributes}`;
  const response = await fetch(`${collector.url}/v1/collections?tokens=${tokens}`, {
    method: "POST", body: policy, headers: { "content-type": "application/toml" },
  });
  assert.equal(response.status, 201, await response.clone().text());
  return String((await response.json()).id);
}

const ALL_KINDS = `
[[attribute]]\nname = "garden"\nquestion = "Do you have a garden?"\ndomain = "binary"\ngoal = "frequency"\nepsilon = 1
[[attribute]]\nname = "commute"\nquestion = "How do you get to work?"\ndomain = "categories:walk,bicycle,bus,car"\ngoal = "frequency"\nmechanism = "grr"\nepsilon = 1
[[attribute]]\nname = "minutes"\nquestion = "How many minutes does it take?"\ndomain = "interval:0,120"\ngoal = "mean"\nepsilon = 1
[[attribute]]\nname = "wake"\nquestion = "When do you get up?"\ndomain = "circle:24"\ngoal = "distribution"\nmechanism = "optimal-piecewise-circle"\nepsilon = 1
[[attribute]]\nname = "home"\nquestion = "Where do you live?"\ndomain = "rectangle:0,8,0,4"\ngoal = "distribution"\nmechanism = "grr"\nbins = 8\nepsilon = 1
`;

const ONE_QUESTION = `
[[attribute]]\nname = "commute"\nquestion = "How do you get to work?"\ndomain = "categories:walk,bicycle,bus,car"\ngoal = "frequency"\nmechanism = "grr"\nepsilon = 1
`;

/**
 * Opens the page of a collection, and remembers everything that is sent.
 * @param {string} id
 * @param {{ context?: import("playwright-core").BrowserContextOptions, prepare?: (page: import("playwright-core").Page) => Promise<unknown> }} [options]
 */
async function visit(id, { context, prepare } = {}) {
  const opened = await openPage(browser, collector.url, context);
  const { page } = opened;
  /** @type {{ method: string, url: string, body: Buffer | null }[]} */
  const requests = [];
  page.on("request", (request) =>
    requests.push({ method: request.method(), url: request.url(), body: request.postDataBuffer() }),
  );
  await prepare?.(page);
  await page.goto(`/respond/${id}`);
  const posts = () => requests.filter((request) => request.method !== "GET");
  return { ...opened, requests, posts };
}

/** @param {import("playwright-core").Page} page */
const heading = (page) => page.locator("#respond h2");

/** @param {import("playwright-core").Page} page @param {string} text */
async function waitFor(page, text) {
  await page.locator("#respond", { hasText: text }).waitFor({ timeout: 10_000 });
}

/** @param {string} id */
async function countOf(id) {
  return (await (await fetch(`${collector.url}/v1/collections/${id}`)).json()).reports;
}

/** The ledger of the browser. @param {import("playwright-core").Page} page */
async function ledger(page) {
  const text = await page.evaluate(() => localStorage.getItem("privet"));
  return text === null ? [] : JSON.parse(text).records.map((/** @type {string} */ record) => JSON.parse(record));
}

/** Nothing that is sent holds an answer as it is. @param {{ url: string, body: Buffer | null }[]} requests @param {string[]} answers */
function assertNoRawValue(requests, answers) {
  for (const { url, body } of requests) {
    for (const answer of answers) {
      assert.ok(!decodeURIComponent(url).includes(answer), `${url} holds an answer`);
      assert.ok(!body?.includes(answer), "a body holds an answer");
    }
  }
}

test("each kind of question by keyboard: channel, one draw, what was sent", async () => {
  const id = await collection();
  const { page, complaints, requests, posts } = await visit(id);
  await page.getByRole("radio", { name: "yes" }).focus();
  await page.keyboard.press("Space");
  await waitFor(page, "Your report says yes with probability 73.1 %");
  await page.getByRole("radio", { name: "walk" }).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await waitFor(page, "Your report says bicycle with probability 47.5 %");
  await page.getByRole("spinbutton").focus();
  await page.keyboard.type("41.25");
  const dial = page.getByRole("slider", { name: "When do you get up?" });
  await dial.focus();
  await page.keyboard.press("PageUp");
  await page.keyboard.press("ArrowRight");
  assert.equal(await dial.getAttribute("aria-valuetext"), "01:05");
  await page.getByRole("application").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowUp");
  await waitFor(page, "You chose 4.8, 2.04");
  assert.equal(await page.locator(".channel-box:visible").count(), 5);
  assert.equal(await page.locator(".channel-box svg[role=img]").count(), 5);
  assert.equal(posts().length, 0, "nothing is sent before Send");
  assert.deepEqual(await ledger(page), [], "nothing is drawn before Send");
  await assertAccessible(page);
  await page.getByRole("button", { name: "Send" }).focus();
  await page.keyboard.press("Enter");
  await waitFor(page, "What was sent");
  const [record] = await ledger(page);
  assert.equal(posts().length, 1);
  assert.equal(posts()[0]?.body?.toString("hex"), record.report);
  assert.equal(await page.locator("[data-report]").getAttribute("data-report"), record.report);
  assert.equal(await page.locator(".reported").count(), 5);
  await waitFor(page, "at most 73.1 % likely");
  assertNoRawValue(requests, ["41.25", "bicycle", "01:05", "4.8"]);
  await assertAccessible(page);
  assert.equal(await countOf(id), 1);
  assert.deepEqual(complaints, []);
});

test("each kind of question by pointer, in the dark, on a telephone", async () => {
  const id = await collection();
  const { page, complaints, requests } = await visit(id, {
    context: { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true },
  });
  await page.getByText("no", { exact: true }).click();
  await page.getByText("bus", { exact: true }).click();
  await page.getByRole("spinbutton").fill("77.125");
  const dial = page.getByRole("slider");
  const face = await dial.boundingBox();
  assert.ok(face);
  // A quarter of the way around is six o'clock in the morning.
  await dial.click({ position: { x: face.width * 0.88, y: face.height / 2 } });
  assert.equal(await dial.getAttribute("aria-valuetext"), "06:00");
  const map = page.getByRole("application");
  const area = await map.boundingBox();
  assert.ok(area);
  await map.click({ position: { x: area.width / 4, y: area.height / 2 } });
  await waitFor(page, "your own cell with probability");
  await assertAccessible(page);
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "What was sent");
  await assertAccessible(page);
  assertNoRawValue(requests, ["77.125", "06:00"]);
  assert.equal(await countOf(id), 1);
  assert.deepEqual(complaints, []);
});

test("many choices are a list, and more of them a field to search in", async () => {
  const id = await collection({ attributes: `
[[attribute]]\nname = "month"\nquestion = "Which month?"\ndomain = "categories:40"\ngoal = "frequency"\nepsilon = 1
[[attribute]]\nname = "town"\nquestion = "Which town?"\ndomain = "categories:900"\ngoal = "frequency"\nepsilon = 1` });
  const { page, complaints } = await visit(id);
  await page.getByRole("combobox", { name: "Which month?" }).selectOption("17");
  await waitFor(page, "You chose 17.");
  const search = page.getByRole("combobox", { name: "Which town?" });
  await search.fill("nowhere");
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "Please answer this question first.");
  await search.fill("512");
  await waitFor(page, "You chose 512.");
  await assertAccessible(page);
  assert.deepEqual(complaints, []);
});

test("an answer that does not fit is refused without being sent", async () => {
  const id = await collection();
  const { page, posts } = await visit(id);
  await page.getByRole("spinbutton").fill("121");
  await waitFor(page, "Please give a number from 0 to 120.");
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "Please answer this question first.");
  assert.equal(posts().length, 0);
});

test("a reload between draw and send sends the same bytes", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page, complaints, posts } = await visit(id, {
    prepare: (page) => page.route("**/reports", (route) => route.abort()),
  });
  await page.getByText("bus", { exact: true }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "Not sent yet");
  const [record] = await ledger(page);
  assert.equal(await countOf(id), 0);
  await page.unroute("**/reports");
  await page.reload();
  await waitFor(page, "What was sent");
  await waitFor(page, "recorded before, and is sent now");
  const sent = new Set(posts().map((post) => post.body?.toString("hex")));
  assert.deepEqual([...sent], [record.report]);
  assert.deepEqual(await ledger(page), [record]);
  assert.equal(await countOf(id), 1);
  assert.deepEqual(complaints.filter((one) => !one.includes("ERR_FAILED")), []);
});

test("the ledger is kept: no second answer after a reload", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page, posts } = await visit(id);
  await page.getByText("walk", { exact: true }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "What was sent");
  await page.reload();
  await waitFor(page, "You have answered this collection. It is answered once.");
  assert.equal(await page.getByRole("radio").count(), 0);
  assert.equal(posts().length, 1);
  // In a later epoch the collection is still answered once.
  await page.clock.setFixedTime(Date.now() + 18 * 86_400_000);
  await page.reload();
  await waitFor(page, "You have answered this collection. It is answered once.");
});

test("two tabs draw once", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page, context } = await visit(id);
  const other = await context.newPage();
  await other.goto(`/respond/${id}`);
  await page.getByText("walk", { exact: true }).click();
  await other.getByText("car", { exact: true }).click();
  await Promise.all([page, other].map((tab) => tab.getByRole("button", { name: "Send" }).click()));
  await Promise.all([page, other].map((tab) => waitFor(tab, "What was sent")));
  assert.equal((await ledger(page)).length, 1);
  const reports = await Promise.all([page, other].map((tab) => tab.locator("[data-report]").getAttribute("data-report")));
  assert.equal(reports[0], reports[1]);
  const notes = await Promise.all([page, other].map((tab) => tab.locator(".notice").allTextContents()));
  assert.equal(notes.flat().filter((note) => note.includes("You had answered before")).length, 1);
  assert.equal(await countOf(id), 1);
});

test("works offline until it is sent", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page, context } = await visit(id);
  await page.getByText("walk", { exact: true }).waitFor();
  await context.setOffline(true);
  await page.getByText("bus", { exact: true }).click();
  await waitFor(page, "Your report says bus with probability");
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "Not sent yet");
  await context.setOffline(false);
  await waitFor(page, "What was sent");
  assert.equal(await countOf(id), 1);
});

test("a collection that is closed while somebody answers", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page, requests } = await visit(id);
  await page.getByText("bicycle", { exact: true }).click();
  assert.equal((await fetch(`${collector.url}/v1/collections/${id}/close`, { method: "POST" })).status, 204);
  await page.getByRole("button", { name: "Send" }).click();
  await waitFor(page, "The collection was closed");
  assertNoRawValue(requests, ["bicycle"]);
  assert.equal(await countOf(id), 0);
  const late = await visit(id);
  await waitFor(late.page, "This collection is closed");
  assert.equal(late.posts().length, 0);
});

/** Everything that keeps a page from asking: it says why, and sends nothing. @type {[string, string, (page: import("playwright-core").Page) => Promise<unknown>][]} */
const OBSTACLES = [
  ["storage switched off", "This browser keeps nothing", (page) => page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get: () => { throw new DOMException("denied", "SecurityError"); } });
  })],
  ["a damaged record", "record is damaged", (page) => page.addInitScript(() => localStorage.setItem("privet", "{"))],
  ["no WebAssembly", "This browser cannot randomise your answer", (page) => page.addInitScript(() => {
    Reflect.deleteProperty(window, "WebAssembly");
  })],
  ["a clock that is wrong", "Your device says that today is 2001-02-03", (page) => page.clock.setFixedTime(new Date(2001, 1, 3, 12))],
  ["a collector that is away", "The collector is away", (page) => page.route("**/policy", (route) => route.abort())],
  ["a policy of another hash", "does not understand the policy", (page) => page.route("**/policy", async (route) => {
    const text = await (await route.fetch()).text();
    await route.fulfill({ body: text.replace("How we live", "How we lived"), contentType: "application/json" });
  })],
  ["a policy that is not understood", "does not understand the policy", (page) => page.route("**/policy", async (route) => {
    const text = await (await route.fetch()).text();
    await route.fulfill({ body: text.replace("generalized-randomized-response", "unheard-of"), contentType: "application/json" });
  })],
];

for (const [name, words, prepare] of OBSTACLES) {
  test(`${name}: the page says what happened, and sends nothing`, async () => {
    const id = await collection({ attributes: ONE_QUESTION });
    const { page, posts } = await visit(id, { prepare });
    await waitFor(page, words);
    await waitFor(page, "Nothing was sent.");
    assert.equal(await page.getByRole("radio").count(), 0);
    assert.equal(posts().length, 0);
    await assertAccessible(page);
  });
}

test("a collection with tokens says that this page has none", async () => {
  const id = await collection({ attributes: ONE_QUESTION, tokens: true });
  const { page, posts } = await visit(id);
  await waitFor(page, "This collection needs a token");
  assert.equal(posts().length, 0);
});

test("without JavaScript there is nothing that could be sent", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page, posts } = await visit(id, { context: { javaScriptEnabled: false } });
  assert.match(await page.locator("noscript p").innerText(), /Allow JavaScript for this site/);
  assert.equal(await page.locator("form, input, select, textarea, button").count(), 0);
  assert.match(await page.locator("details").innerText(), /privacy statement/);
  assert.equal(posts().length, 0);
});

test("the statement is one click away, and says what clearing the storage means", async () => {
  const id = await collection({ attributes: ONE_QUESTION });
  const { page } = await visit(id);
  await page.getByText("The privacy statement").click();
  await page.getByText("If you clear its storage").waitFor();
  await page.getByText("Your answer is randomised on your device").waitFor();
  await assertAccessible(page);
});

test("a hostile policy stays text", async () => {
  const id = await collection({
    attributes: `[[attribute]]\nname = "a"\nquestion = "<img src=x onerror=alert(1)> & <b>why</b>?"\ndomain = "categories:<i>one</i>,two"\ngoal = "frequency"\nepsilon = 1`,
  });
  const { page, complaints } = await visit(id);
  await page.getByText("<i>one</i>", { exact: true }).click();
  await waitFor(page, "<img src=x onerror=alert(1)>");
  assert.equal(await page.locator("#respond :is(img, b, i)").count(), 0);
  assert.deepEqual(complaints, []);
});
