/**
 * Tests of the checklist "change your address": a password manager's file is read without leaving the browser, and its
 * sites are ticked off, get an alias and are deleted.
 */
import { mailboxMessages } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { recordRequests } from "../browser/request-recorder.ts";
import { seeGone, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { signIn } from "../browser/steps.ts";
import { usually, usuallyAt } from "../browser/variants.ts";
import { aFile, bitwardenExport, exportSecrets } from "./exports.ts";

const site = runSite();

const text = bitwardenExport([
  { name: "Shop", user: "ann7@duck.com", uri: "https://www.shop.example/login?session=correct-horse-staple" },
  { name: "Forum", user: "x9@mozmail.com", uri: "https://forum.example" },
  { name: "Club", user: "ann@mail.example" },
  { name: "Router", user: "admin", uri: "http://192.168.0.1" },
]);

async function movePage(email: string, width: number) {
  const person = await site.person(email);
  const visit = await site.visit({ width });
  const recorder = recordRequests(visit.context);
  await visit.page.goto("/auth");
  await signIn(visit.page, email);
  await seePath(visit.page, "/dashboard");
  await visit.page.goto("/move");
  await visit.page.getByText("Find the sites in your password manager").waitFor();
  return { ...visit, recorder, person };
}

const choose = (page: Page, name: string, content: string) =>
  page.getByLabel("Export file").setInputFiles(aFile(name, content));

const tickAt = (page: Page, place: string) => page.getByRole("checkbox", { name: `Address changed at ${place}` });

test.each(usuallyAt("phone"))(
  "a Bitwarden export becomes a checklist that is ticked off and deleted; no request has a password (%i px)",
  async (width) => {
    const { page, recorder } = await movePage(`checks.${width}@people.example`, width);
    await choose(page, "bitwarden_export.json", text);
    await page.getByText("4 logins from Bitwarden").waitFor();
    expect(await page.getByRole("checkbox", { name: /DuckDuckGo/ }).isChecked()).toBe(true);
    expect(await page.getByRole("checkbox", { name: /ann@mail\.example/ }).isChecked()).toBe(false);
    await page.getByRole("button", { name: "Add 2 sites" }).click();
    await seeToast(page, "2 sites added");
    await page.getByRole("heading", { name: "Change your address at 2 sites" }).waitFor();
    await tickAt(page, "shop.example").check();
    await page.getByText("1 of 2 done").waitFor();
    await page.reload();
    await page.getByText("1 of 2 done").waitFor();
    expect(await tickAt(page, "shop.example").count()).toBe(0);
    await page.getByRole("radio", { name: "All 2" }).check();
    expect(await tickAt(page, "shop.example").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Take forum.example off the list" }).click();
    await page.getByRole("heading", { name: "Change your address at 1 site" }).waitFor();
    await page.getByRole("button", { name: "Delete checklist" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete Checklist" }).click();
    await seeToast(page, "Checklist deleted");
    await page.getByText("Find the sites in your password manager").waitFor();
    expect(await recorder.find([...exportSecrets, "ann@mail.example", "passwordHistory", "192.168.0.1"])).toEqual([]);
    expect((await recorder.requests()).some(({ body }) => body.includes("ann7@duck.com"))).toBe(true);
  },
);

test("a tick is shown within its click, before the server has answered", async () => {
  const { page } = await movePage("checks.tick@people.example", widths.desktop);
  await choose(page, "export.json", text);
  await page.getByRole("button", { name: "Add 2 sites" }).click();
  await page.getByRole("heading", { name: "Change your address at 2 sites" }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/checklist", async (route) => {
    await held.promise;
    await route.continue();
  });
  const isTicked = await tickAt(page, "shop.example").evaluate((tick: { click: () => void; checked: boolean }) => {
    tick.click();
    return tick.checked;
  });
  expect(isTicked).toBe(true);
  const answered = page.waitForResponse("**/api/checklist");
  held.resolve();
  await answered;
  await page.getByText("1 of 2 done").waitFor();
  expect(await tickAt(page, "shop.example").isChecked()).toBe(true);
});

test.runIf(isLongRun)(
  "an ordinary address can be chosen too, and adding the same file again adds no sites",
  async () => {
    const { page } = await movePage("checks.again@people.example", widths.desktop);
    await choose(page, "export.json", text);
    await page.getByRole("checkbox", { name: /ann@mail\.example/ }).check();
    await page.getByRole("button", { name: "Add 3 sites" }).click();
    await page.getByRole("heading", { name: "Change your address at 3 sites" }).waitFor();
    await page.getByRole("button", { name: "Add sites" }).click();
    await choose(page, "export.json", text);
    await page.getByRole("button", { name: "Add 2 sites" }).click();
    await seeToast(page, "0 sites added", "2 were on the list already");
    await page.getByRole("heading", { name: "Change your address at 3 sites" }).waitFor();
    await page.getByLabel("Search sites").fill("club");
    await seeGone(tickAt(page, "shop.example"));
    await tickAt(page, "Club").waitFor();
  },
);

const refused = [
  ["secret.json", JSON.stringify({ encrypted: true, data: "2.abc" }), "“secret.json” is encrypted by Bitwarden"],
  [
    "aliases.csv",
    "alias,note,enabled,mailboxes\na@b.example,,True,c@d.example\n",
    "“aliases.csv” is a list of aliases",
  ],
  ["photo.csv", "hello", "“photo.csv” is not an export of a password manager"],
] as const;

test.each(usually(refused, 0))("the file %s is refused with the right reason", async (name, content, said) => {
  const { page } = await movePage(`wrong.${name}@people.example`, widths.desktop);
  await choose(page, name, content);
  await page.getByRole("alert").getByText(said).waitFor();
  await choose(page, "export.json", text);
  await page.getByRole("button", { name: "Add 2 sites" }).waitFor();
});

test.runIf(isLongRun)("a refused change of the checklist shows its error in place, and no choice is lost", async () => {
  const { page, expectRefusal } = await movePage("checks.refused@people.example", widths.desktop);
  expectRefusal(429, "/api/checklist");
  await page.route("**/api/checklist", (route) =>
    route.request().method() === "PUT"
      ? route.fulfill({ status: 429, json: { message: "Too often.", code: "rate_limited", rateLimited: true } })
      : route.continue(),
  );
  await choose(page, "export.json", text);
  await page.getByRole("button", { name: "Add 2 sites" }).click();
  await page.getByRole("alert").getByText("Too often.").waitFor();
  await page.unroute("**/api/checklist");
  await page.getByRole("button", { name: "Add 2 sites" }).click();
  await page.getByRole("heading", { name: "Change your address at 2 sites" }).waitFor();
});

test("one click creates an alias for a site, and an error is shown if the account has no mailbox for it", async () => {
  const { page, person, expectRefusal } = await movePage("checks.alias@people.example", widths.desktop);
  await choose(page, "export.json", text);
  await page.getByRole("button", { name: "Add 2 sites" }).click();
  const row = page.getByRole("list", { name: "Sites" }).getByRole("listitem").filter({ hasText: "shop.example" });
  await row.getByRole("button", { name: "Create alias for shop.example" }).click();
  await row.getByRole("button", { name: /^Copy \S+@kauke\.test$/ }).waitFor();
  await page.reload();
  await row.getByRole("button", { name: /^Copy \S+@kauke\.test$/ }).waitFor();
  expect((await person.listAliases()).map(({ notes }) => notes)).toEqual(["shop.example"]);
  expectRefusal(403, /\/generate$/);
  await page.route("**/generate", (route) =>
    route.fulfill({ status: 403, json: { message: mailboxMessages.noneConfirmed } }),
  );
  await page.getByRole("button", { name: "Create alias for forum.example" }).click();
  await seeToast(page, "Creation Failed", mailboxMessages.noneConfirmed);
});
