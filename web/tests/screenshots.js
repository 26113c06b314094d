/**
 * Makes pictures of the pages: at the widths of a telephone and of a desk, in light and dark.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Collector, openBrowser, openPage } from "./support.js";
import { HEADER, people, policy } from "./survey.js";

const PEOPLE = 20_000;
const folder = process.argv[2] ?? "target/screenshots";

const collector = await Collector.start();
const browser = await openBrowser();
try {
  const id = await collector.create(policy());
  for (const [index, later] of [-2, -1, 0].entries()) {
    await collector.report(id, policy(), HEADER, people(PEOPLE / 3, index + 1), later);
  }
  await collector.create(policy({ name: "How we slept" }));
  const pages = {
    collections: "/",
    dashboard: `/collections/${id}`,
    respond: `/respond/${id}`,
    new: "/new",
    explore: `/explore?${new URLSearchParams({ domain: "interval:0,1", mechanism: "optimal-piecewise", epsilon: "1", input: "0.3" })}`,
    "explore-choices": `/explore?${new URLSearchParams({ domain: "categories:walk,bicycle,bus,car", epsilon: "1" })}`,
  };
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    for (const [size, width] of Object.entries({ phone: 390, desktop: 1280 })) {
      const { page, context } = await openPage(browser, collector.url, { colorScheme, viewport: { width, height: 844 } });
      for (const [name, address] of Object.entries(pages)) {
        await page.goto(address, { waitUntil: "load" });
        await page.waitForTimeout(300);
        const path = join(folder, `${name}-${size}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
        console.log(path);
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await collector.stop();
}
