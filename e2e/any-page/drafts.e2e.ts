/** The store of drafts in the browser: what survives, who reads it, and what can be read of it in the profile's files. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Canaries } from "@kauke/testkit/canary/canary-scan";
import { chromium, type Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findChromium } from "../../scripts/find-chromium.ts";
import { signInByCookie } from "../browser/browser.ts";
import { runSite } from "../browser/site.ts";
import { draftsIn } from "./draft-store.ts";

const site = runSite();

const PAGE = "/gdpr";

async function open(as?: { cookie: string }) {
  const visit = await site.visit(as === undefined ? {} : { as });
  await visit.page.goto(PAGE);
  return { ...visit, run: await draftsIn(visit.page) };
}

async function reload(page: Page) {
  await page.goto(PAGE);
  return draftsIn(page);
}

const rowsIn = (page: Page, name: "drafts" | "files") =>
  page.evaluate<Record<string, unknown>[]>(`new Promise((resolve) => {
    indexedDB.open("drafts").onsuccess = ({ target }) => {
      const db = target.result;
      db.transaction("${name}").objectStore("${name}").getAll().onsuccess = ({ target }) => {
        db.close();
        resolve(target.result.map((row) => ({ ...row, sealed: String.fromCharCode(...row.sealed) })));
      };
    };
  })`);

test("a draft with a file survives a reload, is listed, and is gone once deleted", async () => {
  const { page, run } = await open(await site.person());
  const letter = `{ subject: "Plan", files: [new File(["planned"], "plan.txt", { type: "text/plain" })] }`;
  expect(await run(`store.saveDraft("letter", "1", ${letter})`)).toBe(true);
  await run(`store.saveDraft("letter", "2", { subject: "Later" })`);
  const again = await reload(page);
  const read = `store.readDraft("letter", "1").then(async (draft) => draft && [
    draft.value.subject, draft.value.files[0].name, await draft.value.files[0].text(), Date.now() - draft.savedAt < 60000])`;
  expect(await again(read)).toEqual(["Plan", "plan.txt", "planned", true]);
  expect(await again(`store.listDrafts("letter").then((all) => all.map(({ id }) => id))`)).toEqual(["2", "1"]);
  expect(await again(`store.listDrafts("sent")`)).toEqual([]);
  // The file belongs to two drafts now; the first one's deletion leaves it to the other.
  await again(`store.readDraft("letter", "1").then(({ value }) => store.saveDraft("sent", "9", value))`);
  await again(`store.deleteDraft("letter", "1")`);
  expect([(await rowsIn(page, "drafts")).length, (await rowsIn(page, "files")).length]).toEqual([2, 1]);
  const third = await reload(page);
  expect(await third(`store.readDraft("sent", "9").then(({ value }) => value.files[0].text())`)).toBe("planned");
  expect(await third(`store.readDraft("letter", "1")`)).toBeNull();
  await third(`store.deleteDraft("sent", "9")`);
  expect(await rowsIn(page, "files")).toEqual([]);
});

test("what was typed last is there after a reload right after the key, also while earlier writes are under way", async () => {
  const { page, run } = await open(await site.person());
  await run("store.openDrafts()");
  await run(`store.saveDraft("letter", "1", { body: "" })`);
  for (const round of [1, 2, 3]) {
    const typed = `for (let at = 0; at < 20; at += 1) void store.saveDraft("letter", "1", { body: "${round}-" + at });`;
    const reloaded = page.waitForEvent("load");
    await page.evaluate(`{ ${typed} location.reload(); }`);
    await reloaded;
    const again = await draftsIn(page);
    expect(await again(`store.readDraft("letter", "1").then(({ value }) => value.body)`)).toBe(`${round}-19`);
  }
});

test("each open page has its own draft of a form, and a new page continues that of a closed one", async () => {
  const { page, context, run } = await open(await site.person());
  await run(`store.saveDraft("new-alias", "", { name: "first" })`);
  const second = await context.newPage();
  await second.goto(PAGE);
  const inSecond = await draftsIn(second);
  expect(await inSecond(`store.readDraft("new-alias", "")`)).toBeNull();
  await inSecond(`store.saveDraft("new-alias", "", { name: "second" })`);
  const again = await reload(page);
  expect(await again(`store.readDraft("new-alias", "").then(({ value }) => value.name)`)).toBe("first");
  await second.close();
  await again(`store.deleteDraft("new-alias", "")`);
  const third = await reload(page);
  expect(await third(`store.readDraft("new-alias", "").then(({ value }) => value.name)`)).toBe("second");
  expect(await third(`store.listDrafts("new-alias").then((all) => all.map(({ id }) => id))`)).toEqual([""]);
});

test("another account neither reads nor deletes a draft; after the next sign-in it is there, in a week not any more", async () => {
  const [ann, bob] = [await site.person(), await site.person()];
  const { page, context, origin, run } = await open(ann);
  const as = async ({ cookie }: { cookie: string }) => {
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: origin }]);
    return reload(page);
  };
  await run(`store.saveDraft("letter", "1", { body: "of Ann" })`);
  const bobs = await as(bob);
  expect(await bobs(`store.readDraft("letter", "1")`)).toBeNull();
  expect(await bobs(`store.listDrafts("letter")`)).toEqual([]);
  await bobs(`store.saveDraft("letter", "1", { body: "of Bob" })`);
  await bobs(`store.deleteDraft("letter", "1")`);
  await bobs(`store.prepareWipe().then((wipe) => wipe())`);
  await context.clearCookies();
  const nobody = await reload(page);
  expect(await nobody(`store.readDraft("letter", "1")`)).toBeNull();
  expect(await nobody(`store.saveDraft("letter", "1", { body: "of nobody" })`)).toBe(false);
  const anns = await as(ann);
  expect(await anns(`store.readDraft("letter", "1").then(({ value }) => value.body)`)).toBe("of Ann");
  await anns("(store.leaveSession(), undefined)");
  expect(await anns(`store.readDraft("letter", "1")`)).toBeNull();
  await page.clock.install({ time: Date.now() + 8 * 86_400_000 });
  const later = await as(ann);
  expect(await later(`store.readDraft("letter", "1")`)).toBeNull();
  await expect.poll(() => rowsIn(page, "drafts")).toEqual([]);
});

test("forms of one page that ask at the same time all get their drafts", async () => {
  const { page, run } = await open(await site.person());
  await run(`store.saveDraft("letter", "1", { body: "one" })`);
  await run(`store.saveDraft("decrypt", "", { body: "two" })`);
  const again = await reload(page);
  const both = `Promise.all([store.readDraft("decrypt", ""), store.listDrafts("letter"), store.readDraft("letter", "1")])`;
  expect(await again(`${both}.then((all) => all.flat().map((draft) => draft?.value.body))`)).toEqual([
    "two",
    "one",
    "one",
  ]);
});

test("an account's deletion deletes its drafts in this browser, and only its own", async () => {
  const [ann, bob] = [await site.person(), await site.person()];
  const { page, context, origin, run } = await open(ann);
  await run(`store.saveDraft("letter", "1", { body: "of Ann" })`);
  const [name = "", value = ""] = bob.cookie.split("=");
  await context.addCookies([{ name, value, url: origin }]);
  const bobs = await reload(page);
  await bobs(`store.saveDraft("letter", "1", { body: "of Bob" })`);
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Delete Account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.getByLabel("Type DELETE to confirm").fill("DELETE");
  await dialog.getByRole("button", { name: "Delete Account" }).click();
  await expect.poll(async () => (await rowsIn(page, "drafts")).length).toBe(1);
});

test("a database that fails to open, as WebKit's does now and then, gets the draft a few seconds later", async () => {
  const visit = await site.visit({ as: await site.person() });
  await visit.page.addInitScript(`const { open } = IDBFactory.prototype;
    if (sessionStorage.failed === undefined) IDBFactory.prototype.open = function () {
      IDBFactory.prototype.open = open;
      sessionStorage.failed = "once";
      throw new DOMException("connection lost", "UnknownError");
    };`);
  await visit.page.goto(PAGE);
  const run = await draftsIn(visit.page);
  expect(await run(`store.saveDraft("letter", "1", { body: "typed once" })`)).toBe(false);
  const isAsking = `!window.dispatchEvent(new Event("beforeunload", { cancelable: true }))`;
  expect(await visit.page.evaluate(isAsking)).toBe(true);
  await expect.poll(() => visit.page.evaluate(isAsking), { timeout: 20_000 }).toBe(false);
  const again = await reload(visit.page);
  expect(await again(`store.readDraft("letter", "1").then(({ value }) => value.body)`)).toBe("typed once");
});

describe("where nothing can be stored", () => {
  const without: readonly [string, string][] = [
    ["IndexedDB is off", `Object.defineProperty(window, "indexedDB", { value: undefined })`],
    ["it can't be opened", `IDBFactory.prototype.open = () => { throw new DOMException("off", "InvalidStateError") }`],
    [
      "its quota is used up",
      `IDBDatabase.prototype.transaction = () => { throw new DOMException("full", "QuotaExceededError") }`,
    ],
    ["the page has no WebCrypto", `Object.defineProperty(crypto, "subtle", { value: undefined })`],
  ];
  test.each(without)("because %s, drafts stay in the tab, and leaving asks", async (_, script) => {
    const visit = await site.visit({ as: await site.person() });
    await visit.page.addInitScript(script);
    await visit.page.goto(PAGE);
    const run = await draftsIn(visit.page);
    expect(await run(`store.saveDraft("letter", "1", { body: "in the tab" })`)).toBe(false);
    expect(await run(`store.readDraft("letter", "1").then(({ value }) => value.body)`)).toBe("in the tab");
    expect(await run(`store.listDrafts("letter").then((all) => all.length)`)).toBe(1);
    await asks(visit.page, true);
    await run(`store.deleteDraft("letter", "1")`);
    expect(await run(`store.readDraft("letter", "1")`)).toBeNull();
    await asks(visit.page, false);
  });
});

/** Whether the page would ask before it is left. */
async function asks(page: Page, is: boolean): Promise<void> {
  const asked = `!window.dispatchEvent(new Event("beforeunload", { cancelable: true }))`;
  await expect.poll(() => page.evaluate(asked)).toBe(is);
}

test("while the key can't be had the tab keeps the draft and asks; when the network is back it is stored", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page, context } = visit;
  await page.goto(PAGE);
  const run = await draftsIn(page);
  await context.setOffline(true);
  visit.expectFailure("/api/account/draft-key");
  expect(await run(`store.saveDraft("letter", "1", { body: "offline" })`)).toBe(false);
  await asks(page, true);
  await context.setOffline(false);
  await asks(page, false);
  const again = await reload(page);
  expect(await again(`store.readDraft("letter", "1").then(({ value }) => value.body)`)).toBe("offline");
});

test("while the session is over nothing is read, and what is typed is stored after the next sign-in", async () => {
  const person = await site.person();
  const { page, run } = await open(person);
  await run(`store.saveDraft("letter", "1", { body: "before" })`);
  await run("(store.markSignedOut(), undefined)");
  await expect.poll(() => run(`store.readDraft("letter", "1")`)).toBeNull();
  expect(await run(`store.saveDraft("letter", "2", { body: "meanwhile" })`)).toBe(false);
  await asks(page, true);
});

test("a newer version of the app can change the database: this page lets go of it, and drops what it can't read", async () => {
  const { page, run } = await open(await site.person());
  await run(`store.saveDraft("letter", "1", { body: "old" })`);
  const upgrade = `new Promise((resolve, reject) => {
    const request = indexedDB.open("drafts", 99);
    request.onblocked = () => reject(new Error("blocked"));
    request.onsuccess = () => resolve(request.result.close());
  })`;
  await page.evaluate(upgrade);
  expect(await run(`store.saveDraft("letter", "1", { body: "in the tab" })`)).toBe(false);
  expect(await run(`store.readDraft("letter", "1").then(({ value }) => value.body)`)).toBe("in the tab");
  await asks(page, true);
});

test("no word of a draft is readable in the browser's profile, where a control is found", async () => {
  const canaries = new Canaries();
  const word = (label: string) => canaries.word(label);
  const profile = await mkdtemp(join(tmpdir(), "kauke-profile-"));
  try {
    const options = { executablePath: findChromium() ?? "", args: ["--no-sandbox", "--disable-gpu"] };
    const context = await chromium.launchPersistentContext(profile, { ...options, baseURL: site.server.url });
    const { cookie } = await site.person();
    await signInByCookie(context, { cookie, origin: site.server.url });
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(PAGE);
    const run = await draftsIn(page);
    const file = `new File(["${word("draft-file")}"], "${word("draft-file-name")}")`;
    const value = `{ subject: "${word("draft-subject")}", body: "${word("draft-body")} ąčę", files: [${file}] }`;
    for (const kind of ["letter", "sent", "new-alias", "alias", "decrypt"])
      expect(await run(`store.saveDraft("${kind}", "${word("draft-id")}", ${value})`)).toBe(true);
    const { key } = await page.evaluate<{ key: string }>(`fetch("/api/account/draft-key").then((got) => got.json())`);
    canaries.watch("draft-key", key);
    await page.evaluate(`new Promise((resolve) => {
      const request = indexedDB.open("control");
      request.onupgradeneeded = () => request.result.createObjectStore("control");
      request.onsuccess = () => {
        const work = request.result.transaction("control", "readwrite", { durability: "strict" });
        work.objectStore("control").put("${word("control-draft")}", "a");
        work.oncomplete = resolve;
      };
    })`);
    await context.close();
    const { findings } = await canaries.scan([profile]);
    expect([...new Set(findings.map(({ label }) => label))]).toEqual(["control-draft"]);
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
});
