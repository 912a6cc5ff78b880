/** After each step of moving in, the focus is where a keyboard goes on. */
import type { Page } from "playwright-core";
import { test } from "vitest";
import { seeFocus, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { pressEnter } from "../browser/steps.ts";
import { aFile, bitwardenExport, simpleLoginExport } from "./exports.ts";

const site = runSite();

async function openMove() {
  const { page } = await site.visit({ as: await site.person() });
  await page.goto("/move");
  await page.getByText("Find the sites in your password manager").waitFor();
  return page;
}

const press = (page: Page, name: string | RegExp) => pressEnter(page.getByRole("button", { name }).first());

const seeTitle = (page: Page, name: string) => seeFocus(page.getByRole("heading", { name, exact: true }));

test("each step of an import gives the focus to its title", async () => {
  const page = await openMove();
  await page.getByRole("button", { name: "Choose a file" }).first().focus();
  await page.getByLabel("File of aliases").setInputFiles(aFile("aliases.csv", simpleLoginExport("focus")));
  await seeTitle(page, "What would happen");
  await press(page, "Import 3 aliases");
  await seeTitle(page, "Import finished");
  await press(page, "Close");
  await seeTitle(page, "Import aliases");
  await press(page, /^Open the import of /);
  await seeTitle(page, "Import finished");
  await press(page, "Undo the import");
  await seeTitle(page, "Import undone");
});

test("the checklist keeps the focus while it is filled, worked off and deleted", async () => {
  const page = await openMove();
  const logins = ["alpha", "beta", "gamma"].map((name) => ({
    name,
    user: "ann7@duck.com",
    uri: `https://${name}.example`,
  }));
  await page.getByRole("button", { name: "Choose a file" }).last().focus();
  await page.getByLabel("Export file").setInputFiles(aFile("export.json", bitwardenExport(logins)));
  await page.getByRole("button", { name: "Add 3 sites" }).waitFor();
  await seeTitle(page, "Change your address");
  await press(page, "Add 3 sites");
  await seeTitle(page, "Change your address at 3 sites");
  await press(page, "Create alias for beta.example");
  await seeFocus(page.getByRole("button", { name: /^Copy \S+@kauke\.test$/ }));
  await press(page, "Take alpha.example off the list");
  await seeToast(page, "Taken off the list");
  await seeFocus(page.getByRole("button", { name: "Take beta.example off the list" }));
  await press(page, "Add sites");
  await seeTitle(page, "Change your address at 2 sites");
  await press(page, "Cancel");
  await seeTitle(page, "Change your address at 2 sites");
  await press(page, "Delete checklist");
  await pressEnter(page.getByRole("dialog").getByRole("button", { name: "Delete Checklist" }));
  await seeToast(page, "Checklist deleted");
  await seeTitle(page, "Change your address");
});
