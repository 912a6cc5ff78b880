/** The browser's store of drafts, put into a page of the site without the forms that use it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";

const root = join(import.meta.dirname, "../..");

let script: Promise<string> | null = null;

async function bundle(): Promise<string> {
  const bundler = join(root, "node_modules/rolldown/bin/cli.mjs");
  const entry = join(root, "apps/web/src/drafts/drafts.testing.ts");
  const how = ["--format", "iife", "--name", "drafts", "--transform.define", "import.meta.env.DEV:false"];
  const { stdout } = await promisify(execFile)(process.execPath, [bundler, entry, ...how]);
  return stdout;
}

type Run = <T>(expression: string) => Promise<T>;

/** @returns function that runs an expression with `store`, as the page's signed-in person */
export async function draftsIn(page: Page): Promise<Run> {
  script ??= bundle();
  await page.evaluate(`${await script}; window.store = drafts.store; undefined`);
  const run: Run = (expression) => page.evaluate(`(async () => (${expression}))()`);
  await run("store.checkSession()");
  return run;
}
