/**
 * Tests of importing aliases from a file, from the dry run to its undo, and of downloading aliases for other services.
 */
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { signIn } from "../browser/steps.ts";
import { usuallyAt } from "../browser/variants.ts";
import { aFile, simpleLoginExport } from "./exports.ts";

const site = runSite();
/** Milliseconds within which an event usually reaches a page. */
const EVENT_MS = 1500;

async function signedIn(email: string, path: string, width: number) {
  const person = await site.person(email);
  const visit = await site.visit({ width });
  await visit.page.goto("/auth");
  await signIn(visit.page, email);
  await seePath(visit.page, "/dashboard");
  await visit.page.goto(path);
  return { ...visit, person };
}

const choose = (page: Page, name: string, content: string) =>
  page.getByLabel("File of aliases").setInputFiles(aFile(name, content));

const rowOf = (page: Page, address: string) =>
  page.getByRole("list", { name: "Rows of the import" }).getByRole("listitem").filter({ hasText: address });

test.each(usuallyAt("desktop"))(
  "a SimpleLogin export is looked at, imported, put on the checklist and undone (%i px)",
  async (width) => {
    const { page } = await signedIn(`moves.${width}@people.example`, "/move", width);
    await choose(page, "aliases.csv", simpleLoginExport(`w${width}`));
    await page.getByRole("heading", { name: "What would happen" }).waitFor();
    await page.getByText("SimpleLogin (CSV)", { exact: true }).waitFor();
    await rowOf(page, "admin@kauke.test").getByText("Reserved name").waitFor();
    await rowOf(page, `forum.w${width}@simplelogin.com`).getByText("New address").waitFor();
    await page.getByLabel("Rows shown").selectOption({ label: "Reserved name (1)" });
    await expect.poll(() => rowOf(page, "@").count()).toBe(1);
    // The dry run is still shown after a reload of the page.
    await page.reload();
    await page.getByRole("button", { name: "Import 3 aliases" }).click();
    await page.getByRole("heading", { name: "Import finished" }).waitFor();
    await page.getByText("3 aliases created", { exact: true }).first().waitFor();
    await page.getByText(/^It can be undone for (?:59|58) minutes\.$/).waitFor();
    await page.getByRole("button", { name: "Add to the checklist" }).click();
    await page.getByRole("heading", { name: "Change your address at 2 sites" }).waitFor();
    const forum = page.getByRole("list", { name: "Sites" }).getByRole("listitem").filter({ hasText: "forum.example" });
    await forum.getByText(`forum.w${width}@simplelogin.com`).waitFor();
    await forum.getByRole("button", { name: /^Copy \S+@kauke\.test$/ }).waitFor();
    // A finished import can be closed and opened again, so that it can still be undone.
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: /^Open the import of / }).click();
    await page.getByRole("button", { name: "Undo the import" }).click();
    await page.getByRole("heading", { name: "Import undone" }).waitFor();
    await page.getByText("3 aliases deleted again", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByText("Drop the export of your aliases here").waitFor();
    await page.goto("/dashboard");
    await page.getByRole("heading", { name: "No aliases yet" }).waitFor();
  },
);

test("a file of logins is refused by name as an import, and another file can be chosen", async () => {
  const { page, expectRefusal } = await signedIn("moves.wrong@people.example", "/move", widths.desktop);
  expectRefusal(400, "/api/imports");
  await choose(page, "logins.csv", "name,url,username,password\nShop,https://shop.example,ann,pw\n");
  await page.getByRole("alert").getByText("“logins.csv”").waitFor();
  await choose(page, "aliases.csv", simpleLoginExport("again"));
  await page.getByRole("heading", { name: "What would happen" }).waitFor();
  // The event that tells of the deletion comes before its response.
  await page.route(/\/api\/imports\/[\w-]+$/, async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    const response = await route.fetch();
    await setTimeout(EVENT_MS);
    await route.fulfill({ response });
  });
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("Drop the export of your aliases here").waitFor();
  // None of them asks for the deleted import, which would be refused.
  await seeRequestsDone(page);
});

test.runIf(isLongRun)(
  "importing from an account asks for the API key, and the key stays in the form if the server refuses",
  async () => {
    const { page, expectRefusal } = await signedIn("moves.service@people.example", "/move", widths.desktop);
    expectRefusal(429, "/api/imports/from-service");
    await page.route("**/api/imports/from-service", (route) =>
      route.fulfill({ status: 429, json: { message: "Too many imports.", code: "rate_limited", rateLimited: true } }),
    );
    await page.getByRole("radio", { name: "From an account" }).check();
    await page.getByRole("button", { name: "Read my aliases" }).click();
    await page.getByText("Please enter the API key").waitFor();
    await page.getByLabel("API key").fill("a-key-of-addy");
    await page.getByRole("button", { name: "Read my aliases" }).click();
    await page.getByRole("alert").getByText("Too many imports.").waitFor();
    expect(await page.getByLabel("API key").inputValue()).toBe("a-key-of-addy");
  },
);

test("aliases are downloaded as files for another service, or for spreadsheets", async () => {
  const { page, person } = await signedIn("leaves@people.example", "/settings/data", widths.desktop);
  await person.createAlias({ alias: "leaving", forwardTo: "jonas@inbox.example", notes: "=1+1" });
  const download = async (name: string) => {
    const started = page.waitForEvent("download");
    await page.getByRole("button", { name, exact: true }).click();
    const file = await started;
    await seeToast(page, "Aliases downloaded", file.suggestedFilename());
    return readFile(await file.path(), "utf8");
  };
  expect(await download("Download for SimpleLogin")).toContain("=1+1");
  expect(await download("Download for spreadsheets, SimpleLogin")).toContain("'=1+1");
  expect(await download("Download for addy.io")).toContain("leaving@kauke.test");
  expect(await download("Download for Forward Email")).toContain("leaving:jonas@inbox.example");
});
