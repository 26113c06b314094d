import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Collector, assertAccessible, openBrowser, openPage } from "./support.js";
import { HEADER, people, policy } from "./survey.js";

const PEOPLE = 4000;
/** @type {Collector} */ let collector;
/** @type {import("playwright-core").Browser} */ let browser;
/** @type {string} */ let id;
/** @type {(string | number)[][]} */ const answered = [];

before(async () => {
  [collector, browser] = await Promise.all([Collector.start(), openBrowser()]);
  id = await collector.create(policy());
  for (const [index, later] of [-1, 0].entries()) {
    const some = people(PEOPLE / 2, index + 1);
    answered.push(...some);
    await collector.report(id, policy(), HEADER, some, later);
  }
});

after(async () => {
  await browser?.close();
  await collector?.stop();
});

/** "12.3 %" and "−1.2 % to 3.4 %" as numbers. @param {string | null} text */
function numbersIn(text) {
  const plain = (text ?? "").replaceAll("\u2212", "-");
  return [...plain.matchAll(/-?\d+(\.\d+)?/g)].map((found) => Number(found[0]));
}

test("the first page lists the collection and keeps its count up to date", async () => {
  const { page, context, complaints } = await openPage(browser, collector.url);
  await page.goto("/");
  const card = page.locator(".card", { hasText: "How we get to work" });
  assert.match((await card.textContent()) ?? "", /4.000 reports/);
  await collector.report(id, policy(), HEADER, people(7, 99), 0);
  await page.waitForFunction(() => document.querySelector("[data-live]")?.textContent?.includes("007"), null, { timeout: 20_000 });
  await card.getByRole("link").click();
  await page.waitForURL(`**/collections/${id}`);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("the truth lies within the intervals of the estimates", async () => {
  const { page, context, complaints } = await openPage(browser, collector.url, { javaScriptEnabled: false });
  await page.goto(`/collections/${id}`);
  const section = page.locator("[data-attribute=late]");
  const row = section.locator("tr", { has: page.locator("th[scope=row]", { hasText: /^yes$/ }) }).first();
  const [value, low, high] = numbersIn((await row.locator("td").allTextContents()).join(" "));
  const truth = (100 * answered.filter(([late]) => late === "yes").length) / answered.length;
  assert.ok(low <= value && value <= high, `${low} ${value} ${high}`);
  // Three times the interval: it must fail for wrong estimates, not once in twenty runs.
  const reach = 1.5 * (high - low);
  assert.ok(Math.abs(value - truth) < reach, `${value} is far from ${truth}`);
  const minutes = answered.reduce((sum, person) => sum + Number(person[2]), 0) / answered.length;
  const numeric = page.locator("[data-attribute=minutes]");
  const mean = numbersIn(await numeric.locator(".big").first().textContent())[0];
  assert.ok(Math.abs(mean - minutes) < 15, `${mean} is far from ${minutes}`);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("every kind of question has its picture, its history and its break-down", async () => {
  const { page, context, complaints } = await openPage(browser, collector.url);
  await page.goto(`/collections/${id}`);
  for (const name of ["late", "commute", "minutes", "leaving", "home"]) {
    const section = page.locator(`[data-attribute=${name}]`);
    assert.ok((await section.locator("svg[role=img]").count()) >= 2, `${name} has no picture`);
    assert.ok(await section.locator("svg title").first().textContent());
    await section.locator("summary", { hasText: "Over time" }).click();
    await section.locator("summary", { hasText: "By region" }).click();
    assert.ok(await section.getByText("Estimates with 95 % intervals").isVisible());
    await section.locator("summary", { hasText: "If somebody cheats" }).click();
  }
  await page.getByText("The whole privacy statement").click();
  assert.match((await page.locator("pre.words").first().textContent()) ?? "", /randomised on your device/);
  await assertAccessible(page);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("what too few people answered is withheld, and the page says why", async () => {
  const few = policy({ name: "Few people", minimum: 5000 });
  const other = await collector.create(few);
  await collector.report(other, few, HEADER, people(50, 5), 0);
  const { page, context } = await openPage(browser, collector.url);
  await page.goto(`/collections/${other}`);
  assert.equal(await page.locator(".notice", { hasText: "Withheld." }).count(), 5);
  assert.match((await page.locator(".notice", { hasText: "Withheld." }).first().textContent()) ?? "", /50.reports.*5.000 have arrived/);
  await context.close();
});

test("light and dark, wide and narrow, pages are accessible and fit", async () => {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    for (const width of [390, 1280]) {
      const { page, context, complaints } = await openPage(browser, collector.url, { colorScheme, viewport: { width, height: 800 } });
      for (const address of ["/", `/collections/${id}`, "/new", "/new?from=text", "/explore", "/nothing-here"]) {
        await page.goto(address);
        await assertAccessible(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wide <= 0, `${address} is ${wide} pixels too wide at ${width}`);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
  }
});

test("tokens: signing in, exporting and closing", async () => {
  const [manage, read] = ["manage-manage-manage", "read-read-read-read"].map((token) => {
    const path = join(collector.folder, `${token}.token`);
    writeFileSync(path, token);
    return path;
  });
  const guarded = await Collector.start("--manage-token", manage, "--read-token", read);
  const { page, context, complaints } = await openPage(browser, guarded.url);
  try {
    assert.equal((await page.goto("/"))?.status(), 401);
    await page.getByLabel("Token").fill("something-else-altogether");
    await page.keyboard.press("Enter");
    await page.getByText("This is not a token").waitFor();
    await page.getByLabel("Token").fill("read-read-read-read");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Collections" }).waitFor();
    assert.equal((await page.goto("/new"))?.status(), 401);
    await page.getByLabel("Token").fill("manage-manage-manage");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/new");
    await page.goto("/new?from=text");
    await page.getByLabel("Policy, in TOML or JSON").fill(policy({ name: "Guarded", minimum: 1 }));
    await page.getByRole("button", { name: "Create the collection" }).click();
    await page.getByRole("heading", { name: /Guarded/ }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Reports as CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "reports.csv");
    await page.getByText("Close the collection").click();
    await page.getByLabel("It takes no more reports, for ever").check();
    await page.getByRole("button", { name: "Close it now" }).click();
    await page.getByText("closed", { exact: true }).waitFor();
    const cookies = await context.cookies();
    assert.ok(cookies.length >= 2 && cookies.every((cookie) => cookie.httpOnly && cookie.sameSite === "Strict"));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    await guarded.stop();
  }
});
