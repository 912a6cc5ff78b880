/**
 * The built worker of the key vault: public test vectors of age, its headers, when it is loaded, and that it ends
 * with its job.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type AgeErrorCode, generateKeyPair } from "@kauke/age";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { type AgeVector, vectors } from "../../packages/age/src/vectors.testing.ts";
import type { Visit } from "../browser/browser.ts";
import { seeGone, seeHeading, withoutEvents } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

const site = runSite();
const assets = join(import.meta.dirname, "../../apps/web/dist/assets");
const workerFile = readdirSync(assets).find((name) => /^vault\.worker-.*\.js$/.test(name)) as string;
/** The key that most vectors are made for; vectors that name no key must not decrypt with it. */
const usualKey = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";

/** All vectors in `npm run test:long`, every twelfth in `npm test`: packages/age tests all of them in every run. */
const usualVectors = isLongRun ? vectors : vectors.filter((_, place) => place % 12 === 0);

type Opener = { privateKey: string } | { password: string };

function openersOf({ identities, passwords }: AgeVector): Opener[] {
  const openers: Opener[] = passwords.map((password) => ({ password }));
  if (identities.length > 0) openers.push({ privateKey: identities.join("\n") });
  return openers.length > 0 ? openers : [{ privateKey: usualKey }];
}

const allowedCodes: Record<AgeVector["expect"], readonly (AgeErrorCode | null)[]> = {
  success: [null],
  "no match": ["no_matching_key", "wrong_password"],
  "HMAC failure": ["malformed"],
  "payload failure": ["malformed"],
  "armor failure": ["malformed", "not_age"],
  "header failure": ["malformed", "not_age", "work_factor_too_high"],
};

/** Starts a worker of the page's own origin; the result of each job is its error code or the SHA-256 of its output. */
const startWorker = `(() => {
  const policy = trustedTypes.createPolicy("app-worker", { createScriptURL: (url) => url });
  const worker = new Worker(policy.createScriptURL("/assets/${workerFile}"), { type: "module" });
  const hex = async (bytes) =>
    [...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))].map((it) => it.toString(16).padStart(2, "0")).join("");
  window.openVector = (base64, opener) => new Promise((done, fail) => {
    worker.onerror = (event) => fail(new Error(event.message || "the worker failed"));
    worker.onmessage = ({ data }) => {
      if ("failure" in data) done({ code: data.failure, released: null });
      else if ("result" in data) hex(data.result).then((released) => done({ code: null, released }));
    };
    const { buffer } = Uint8Array.from(atob(base64), (it) => it.charCodeAt(0));
    worker.postMessage({ name: "decryptFile", input: { bytes: buffer, opener } }, [buffer]);
  });
})()`;

interface Trial {
  vector: AgeVector;
  opener: Opener;
}

interface Outcome {
  code: AgeErrorCode | null;
  released: string | null;
}

/** Decrypts the vectors of all trials in one call, one after the other in the worker. */
async function outcomesOf(page: Page, trials: readonly Trial[]): Promise<Outcome[]> {
  const given = trials.map(({ vector, opener }) => [Buffer.from(vector.file).toString("base64"), opener]);
  return (await page.evaluate(`(async () => {
    const outcomes = [];
    for (const [base64, opener] of ${JSON.stringify(given)}) outcomes.push(await openVector(base64, opener));
    return outcomes;
  })()`)) as Outcome[];
}

test("public test vectors of age have the expected result in the browser's worker", async () => {
  const { page } = await site.visit();
  await page.goto("/about");
  await page.evaluate(startWorker);
  const trials = usualVectors.flatMap((vector) => openersOf(vector).map((opener) => ({ vector, opener })));
  const outcomes = await outcomesOf(page, trials);
  const wrong = trials.flatMap(({ vector }, at) => {
    const { code, released } = outcomes[at] as Outcome;
    const mustBeReleased = vector.expect === "success" ? vector.payload : null;
    const isRight = allowedCodes[vector.expect].includes(code) && released === mustBeReleased;
    return isRight ? [] : [{ vector: vector.name, code, released }];
  });
  expect(wrong).toEqual([]);
  expect([vectors.length, vectors.filter(({ expect: outcome }) => outcome === "success").length]).toEqual([143, 26]);
  // Control: the worker really decrypts, since with another key the same file does not open.
  const vector = vectors.find(({ name }) => name === "x25519") as AgeVector;
  const { privateKey } = await generateKeyPair();
  const [shut] = await outcomesOf(page, [{ vector, opener: { privateKey } }]);
  expect(shut).toEqual({ code: "no_matching_key", released: null });
});

test("the worker's file carries the page's content security policy", async () => {
  const { context } = await site.visit();
  const policyOf = async (path: string) => (await context.request.get(path)).headers()["content-security-policy"];
  const policy = await policyOf(`/assets/${workerFile}`);
  expect(policy).toContain("trusted-types app-worker");
  expect(policy).toBe(await policyOf("/"));
});

/** @returns every script that the page has loaded so far and that contains the age format's code */
async function cryptoScripts(page: Page): Promise<string[]> {
  const urls = (await page.evaluate(
    `performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js"))`,
  )) as string[];
  expect(urls.length).toBeGreaterThan(3);
  const texts = await Promise.all(urls.map(async (url) => (await page.context().request.get(url)).text()));
  return urls.filter((_, at) => texts[at]?.includes("age-encryption.org/v1"));
}

test("no page loads the cryptography before it is needed", async () => {
  const { page } = await site.visit({ as: await site.person() });
  await withoutEvents(page);
  for (const [path, heading] of [
    ["/home", "How It Works"],
    ["/dashboard", "Email Forwarding"],
    ["/settings", "Encryption keys"],
  ] as const) {
    await page.goto(path, { waitUntil: "networkidle" });
    if (path !== "/home") await seeHeading(page, heading);
    expect({ path, found: await cryptoScripts(page) }).toEqual({ path, found: [] });
  }
  // Control: the file with the cryptography contains the text it is recognized by.
  const worker = await page.context().request.get(`/assets/${workerFile}`);
  expect(await worker.text()).toContain("age-encryption.org/v1");
});

const password = "tylus vakaras prie marių 7";

/** Replaces the worker by one that forecasts this duration, and never finishes. */
async function stallWorker({ context }: Visit, forecastSeconds: number): Promise<void> {
  const body = `onmessage = () => postMessage({ forecastSeconds: ${forecastSeconds} });`;
  await context.route("**/assets/vault.worker-*.js", (route) =>
    route.fulfill({ contentType: "text/javascript; charset=utf-8", body }),
  );
}

async function startCreating(page: Page) {
  await page.goto("/settings");
  await page.getByText("No encryption keys yet").waitFor();
  await page.getByRole("button", { name: "Create Key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create key" });
  await dialog.getByLabel("Key name").fill("Never to be");
  await dialog.getByLabel("Master password").fill(password);
  await dialog.getByLabel("Type it again").fill(password);
  return dialog;
}

test("closing the dialog, or leaving the page, ends the worker at once", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page } = visit;
  await stallWorker(visit, 5);
  for (const leave of [
    () => page.keyboard.press("Escape"),
    () => page.evaluate(`history.pushState(null, "", "/dashboard"), dispatchEvent(new PopStateEvent("popstate"))`),
  ]) {
    const dialog = await startCreating(page);
    await dialog.getByRole("button", { name: "Create Key" }).click();
    await dialog.getByText("About 5 seconds on this device.").waitFor();
    await expect.poll(() => page.workers().length).toBe(1);
    await leave();
    await seeGone(dialog);
    await expect.poll(() => page.workers().length).toBe(0);
  }
});

/** Whether any prop or state of any component, or any storage of the browser, contains the text. */
const holds = (text: string) => `(() => {
  const text = ${JSON.stringify(text)};
  const seen = new Set();
  const search = (it, depth) => {
    if (typeof it === "string") return it.includes(text);
    if (it === null || typeof it !== "object" || depth > 60 || it instanceof Node || it === window || seen.has(it)) return false;
    seen.add(it);
    const parts = it instanceof Map ? [...it.values()] : it instanceof Set ? [...it] : Object.values(it);
    return parts.some((part) => search(part, depth + 1));
  };
  const walk = (fiber) => {
    for (let it = fiber; it !== null; it = it.sibling) {
      if (search(it.memoizedProps, 0) || search(it.memoizedState, 0)) return true;
      if (it.child !== null && walk(it.child)) return true;
    }
    return false;
  };
  const root = document.querySelector("#root");
  const container = Object.keys(root).find((key) => key.startsWith("__reactContainer"));
  const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state]);
  return walk(root[container].stateNode.current) || stored.includes(text);
})()`;

test("a password is in no state, cache or storage, neither while it is typed nor while it is used", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page } = visit;
  await stallWorker(visit, 5);
  const dialog = await startCreating(page);
  // Control: the search finds the key's name, which is in a component's state.
  expect(await page.evaluate(holds("Never to be"))).toBe(true);
  expect(await page.evaluate(holds(password))).toBe(false);
  await dialog.getByRole("button", { name: "Create Key" }).click();
  await dialog.getByText(/on this device/).waitFor();
  expect(await page.evaluate(holds(password))).toBe(false);
  const fields = `[...document.querySelectorAll("input")].map((it) => it.value).join()`;
  expect(await page.evaluate(fields)).not.toContain(password);
  await page.keyboard.press("Escape");
  await seeGone(dialog);
});

test("a device without JIT gets a forecast of the duration", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page } = visit;
  await stallWorker(visit, 52);
  const dialog = await startCreating(page);
  await dialog.getByRole("button", { name: "Create Key" }).click();
  await dialog.getByText("About 50 seconds: this browser is slow at this.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await seeGone(dialog);
});
