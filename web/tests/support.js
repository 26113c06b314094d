/**
 * Everything that tests of pages share: a collector of its own, people who report, and a browser that tells on pages.
 */

import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const require = createRequire(import.meta.url);

/** The program under test: PRIVET, or what `cargo build` made. */
export const PRIVET =
  process.env.PRIVET ?? join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug", "privet");

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

/**
 * Runs the program to its end.
 * @param {string[]} parameters
 * @returns {Promise<any>} its document
 */
export function privet(...parameters) {
  return new Promise((resolve, reject) => {
    execFile(PRIVET, [...parameters, "--json"], { maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      error ? reject(new Error(`privet ${parameters.join(" ")}: ${stderr}`)) : resolve(JSON.parse(stdout)),
    );
  });
}

/** A day as policies write it. @param {number} later in days from today */
export function day(later = 0) {
  return new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10);
}

/** A collector on a free port, with a store of its own. */
export class Collector {
  /** @param {string[]} parameters further flags of `privet serve` */
  static async start(...parameters) {
    assert.ok(existsSync(PRIVET), `${PRIVET} is missing: run cargo build`);
    const folder = mkdtempSync(join(tmpdir(), "privet-pages-"));
    const store = `sqlite:${join(folder, "store.db")}`;
    const child = spawn(PRIVET, ["serve", "--store", store, "--listen", "127.0.0.1:0", "--json", ...parameters], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    for await (const line of createInterface({ input: child.stdout })) {
      text += line;
      if (line === "}" || line.endsWith("}")) break;
    }
    assert.ok(text, "privet serve ended before it listened");
    return new Collector(JSON.parse(text).url, folder, child);
  }

  /**
   * @param {string} url
   * @param {string} folder
   * @param {import("node:child_process").ChildProcess} child
   */
  constructor(url, folder, child) {
    this.url = url;
    this.folder = folder;
    this.child = child;
  }

  /** Creates a collection. @param {string} policy in TOML @returns {Promise<string>} its id */
  async create(policy) {
    const path = join(this.folder, "policy.toml");
    writeFileSync(path, policy);
    return (await privet("collect", "create", "--collector", this.url, "--policy", path)).id;
  }

  /**
   * Lets people report.
   * @param {string} id the collection
   * @param {string} policy in TOML
   * @param {string[]} header the names of attributes and public fields
   * @param {(string | number)[][]} people their true answers
   * @param {number} later the day, from today
   */
  async report(id, policy, header, people, later = 0) {
    const [written, table, reports] = ["policy.toml", "people.jsonl", "reports.csv"].map((name) => join(this.folder, name));
    writeFileSync(written, policy);
    const rows = people.map((person) => JSON.stringify(Object.fromEntries(header.map((name, index) => [name, person[index]]))));
    writeFileSync(table, rows.join("\n") + "\n");
    await privet("perturb", "--policy", written, "--in", table, "--out", reports, "--day", day(later));
    await privet("collect", "submit", "--collector", this.url, "--collection", id, "--in", reports);
  }

  async stop() {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A headless browser. */
export async function openBrowser() {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
}

/**
 * A page that remembers what it must not do: break the content security policy, ask another host, or fail in a script.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url of the collector
 * @param {import("playwright-core").BrowserContextOptions} options
 */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({ baseURL: url, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  /** @type {string[]} */
  const complaints = [];
  const host = new URL(url).host;
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (target.protocol !== "data:" && target.protocol !== "blob:" && target.host !== host) {
      complaints.push(`asks another host: ${request.url()}`);
    }
  });
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy|Refused/i.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => complaints.push(`script: ${error.message}`));
  return { page, context, complaints };
}

/**
 * Fails if a page breaks a rule of accessibility in a serious way.
 * @param {import("playwright-core").Page} page
 */
export async function assertAccessible(page) {
  // The page's own policy forbids scripts of others, so the checker comes in through the debugger.
  await page.evaluate(readAxe());
  const found = await page.evaluate(() => /** @type {any} */ (globalThis).axe.run(document, { resultTypes: ["violations"] }));
  const serious = found.violations.filter((/** @type {any} */ one) => ["serious", "critical"].includes(one.impact));
  const words = serious.map((/** @type {any} */ one) => `${one.id}: ${one.help}: ${one.nodes.map((/** @type {any} */ node) => node.html).join(" | ")}`);
  assert.deepEqual(words, [], `${page.url()} is not accessible`);
}

/** The checker's own text. */
function readAxe() {
  return require("axe-core").source;
}
