import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { Collector, assertAccessible, openBrowser, openPage } from "./support.js";

/** @type {Collector} */ let collector;
/** @type {import("playwright-core").Browser} */ let browser;

before(async () => {
  [collector, browser] = await Promise.all([Collector.start(), openBrowser()]);
});

after(async () => {
  await browser?.close();
  await collector?.stop();
});

/**
 * Goes on with the Tab key until a field has the focus.
 * @param {import("playwright-core").Page} page
 * @param {string} selector
 */
async function tabTo(page, selector) {
  for (let step = 0; step < 80; step += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${selector} cannot be reached by the Tab key`);
}

test("a collection is created from the form by keyboard alone", async () => {
  const { page, context, complaints } = await openPage(browser, collector.url);
  await page.goto("/new");
  const type = async (/** @type {string} */ selector, /** @type {string} */ text) => {
    await tabTo(page, selector);
    await page.keyboard.type(text);
  };
  await type("#name", "Lunch <b>& more</b>");
  await type("#purpose", "Cook what people like");
  await type("#origin", "canteen.example");
  await type("#q0-question", "Do you eat meat?");
  await tabTo(page, "button[value=add]");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#q1-question");
  await type("#q1-question", "How spicy do you like it?");
  await tabTo(page, "#q1-kind");
  await page.keyboard.type("A number");
  await type("#q1-values", "0, 10");
  await type("#epsilon", "2");
  // The script looks while somebody writes.
  await page.locator("#outcome").getByText("What it means").waitFor({ timeout: 30_000 });
  assert.match((await page.locator("#outcome").textContent()) ?? "", /ε = 2 in the whole collection/);
  await assertAccessible(page);
  await tabTo(page, "button[value=create]");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: /Lunch <b>& more<\/b>/ }).waitFor();
  assert.match(page.url(), /\/collections\/[0-9a-f]{64}$/);
  assert.equal(await page.locator("[data-attribute]").count(), 2);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("without scripts the form grows, shrinks and is looked at by buttons", async () => {
  const { page, context } = await openPage(browser, collector.url, { javaScriptEnabled: false });
  await page.goto("/new");
  await page.getByLabel("Name", { exact: true }).fill("Without scripts");
  await page.getByRole("button", { name: "Add a question" }).click();
  await page.getByRole("button", { name: "Add a question" }).click();
  assert.equal(await page.locator("legend", { hasText: "Question" }).count(), 3);
  await page.getByRole("button", { name: "Remove question 2" }).click();
  assert.equal(await page.locator("legend", { hasText: "Question" }).count(), 2);
  assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Without scripts");
  await page.getByRole("button", { name: "Look at it first" }).click();
  await page.getByText("Not yet a policy.").waitFor();
  assert.equal(await page.locator("[aria-invalid=true]").getAttribute("id"), "purpose");
  await page.getByRole("button", { name: "Remove question 2" }).click();
  await page.getByLabel("Purpose").fill("See");
  await page.getByLabel("Who asks").fill("us.example");
  await page.locator("#q0-question").fill("Is it?");
  await page.locator("#epsilon").fill("1");
  await page.getByRole("button", { name: "Look at it first" }).click();
  assert.match((await page.locator("#outcome").textContent()) ?? "", /percentage points/);
  await page.getByRole("button", { name: "Create the collection" }).click();
  await page.getByRole("heading", { level: 1, name: /Without scripts/ }).waitFor();
  await context.close();
});

test("a mistake in a text is shown with its line and its column", async () => {
  const { page, context, complaints } = await openPage(browser, collector.url, { javaScriptEnabled: false });
  await page.goto("/new?from=text");
  const field = page.getByLabel("Policy, in TOML or JSON");
  const good = await field.inputValue();
  await field.fill(good.replace('period = "collection"', 'period = "century"'));
  await page.getByRole("button", { name: "Create the collection" }).click();
  const line = good.split("\n").findIndex((one) => one.startsWith("period")) + 1;
  await page.getByText(`Line ${line}, column`).waitFor();
  assert.match((await page.locator("mark.wrong").textContent()) ?? "", /period = "century"/);
  await field.fill(good);
  await page.getByRole("button", { name: "Create the collection" }).click();
  await page.getByRole("heading", { level: 1, name: /How we travel/ }).waitFor();
  assert.deepEqual(complaints, []);
  await context.close();
});

test("forms of other sites are refused", async () => {
  const answer = await fetch(`${collector.url}/new`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    body: "do=create&key=00112233445566778899aabbccddeeff&name=evil",
  });
  assert.equal(answer.status, 403);
  assert.match(await answer.text(), /not sent from a page of this collector/);
});
