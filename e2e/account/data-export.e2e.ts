/**
 * Exporting an account's data: from the button in Settings to a file that contains everything, and what a refusal says.
 */
import { readFile } from "node:fs/promises";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { signIn } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";

const site = runSite();

async function settingsOf(email: string, width: number) {
  const visit = await site.visit({ width });
  await visit.page.goto("/auth");
  await signIn(visit.page, email);
  await seePath(visit.page, "/dashboard");
  await visit.page.goto("/settings/data");
  return visit;
}

test.each(usually(Object.entries(widths), 1))(
  "the file contains the account's rows with their dates of deletion (%s)",
  async (name, width) => {
    const email = `takes.data.${name}@people.example`;
    const person = await site.person(email);
    await person.createAlias({ alias: `taken-${name}`, forwardTo: "jonas@inbox.example", notes: "for the shop" });
    const { page } = await settingsOf(email, width);
    const started = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download my data" }).click();
    const download = await started;
    const fileName = download.suggestedFilename();
    expect(fileName).toMatch(/^kauke-account-\d{4}-\d\d-\d\d\.json$/);
    await seeToast(page, "Data downloaded", fileName);
    const file = JSON.parse(await readFile(await download.path(), "utf8"));
    expect(file.tables.user.rows).toMatchObject([{ email, deletionDate: "when you delete the account" }]);
    expect(file.tables.alias.rows).toMatchObject([
      { name: `taken-${name}`, notes: "for the shop", destinations: [{ address: "jonas@inbox.example" }] },
    ]);
    const rows = Object.values<{ rows: { deletionDate: string }[] }>(file.tables).flatMap((table) => table.rows);
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.every((row) => row.deletionDate !== "")).toBe(true);
  },
);

test.runIf(isLongRun)(
  "during the export the button says so and can't be pressed again; a refusal is a toast, and no file is saved",
  async () => {
    await site.person("takes.nothing@people.example");
    const { page, expectRefusal } = await settingsOf("takes.nothing@people.example", widths.phone);
    expectRefusal(429, "/api/account/export");
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const problem = {
      message: "You have downloaded your data several times.",
      code: "rate_limited",
      rateLimited: true,
    };
    await page.route("**/api/account/export", async (route) => {
      await held;
      await route.fulfill({ status: 429, json: { ...problem, resetTime: new Date().toISOString() } });
    });
    let saved = 0;
    page.on("download", () => saved++);
    await page.getByRole("button", { name: "Download my data" }).click();
    expect(await page.getByRole("button", { name: "Downloading..." }).isDisabled()).toBe(true);
    release();
    await seeToast(page, "Download failed", "You have downloaded your data several times.");
    expect(await page.getByRole("button", { name: "Download my data" }).isEnabled()).toBe(true);
    expect(saved).toBe(0);
  },
);
