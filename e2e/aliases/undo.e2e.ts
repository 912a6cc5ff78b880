/** Undo: every act on aliases can be undone for ten seconds, and deletions are the server's business from the start. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { axeFindings, sidewaysOverflow } from "../any-page/axe.ts";
import type { VisitOptions } from "../browser/browser.ts";
import { seeFocus, seeGone, seeToast, seeUndo, undoAct, undoRows } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, aliasSwitch, createForm, listedAddresses } from "../browser/steps.ts";

const site = runSite();
let made = 0;

/** Opens the dashboard of a new account with the given number of aliases; `u1@…` is at the top of the list. */
async function openList(count: number, options: VisitOptions = {}) {
  const person = await site.person();
  const mark = `.${++made}u`;
  const address = (place: number) => `u${place}${mark}@kauke.test`;
  const aliases = [];
  for (let place = count; place > 0; place--)
    aliases.unshift(await person.createAlias({ alias: `u${place}${mark}`, forwardTo: "jonas@inbox.example" }));
  const visit = await site.visit({ as: person, ...options });
  await visit.page.goto("/dashboard");
  await aliasRow(visit.page, address(1)).waitFor();
  const left = async () => (await person.listAliases()).filter(({ deletesAt }) => deletesAt === undefined).length;
  return { ...visit, person, address, aliases, left };
}

const remove = (page: Page, address: string) => page.getByRole("button", { name: `Delete ${address}` }).click();

async function removeAndSee(page: Page, address: string): Promise<void> {
  await remove(page, address);
  await seeUndo(page, "Alias Deleted", address);
}

/** The server deletes after twelve seconds. */
const inTime = { timeout: 20_000 };

describe("a deletion", () => {
  test("is offered for undoing again after a reload, and happens though the tab is closed", async () => {
    const { page, context, person, address } = await openList(3);
    await removeAndSee(page, address(1));
    await page.reload();
    await seeUndo(page, "Alias Deleted", address(1));
    expect(await listedAddresses(page)).toEqual([address(2), address(3)]);
    await undoAct(page, "Alias Deleted");
    await seeToast(page, "Deletion Undone", address(1));
    await expect.poll(() => listedAddresses(page)).toEqual([1, 2, 3].map(address));
    await remove(page, address(2));
    await context.newPage();
    await page.close();
    await expect.poll(async () => (await person.listAliases()).map(({ alias }) => alias), inTime).toHaveLength(2);
    expect((await person.listAliases()).every(({ deletesAt }) => deletesAt === undefined)).toBe(true);
  });

  test("leaves the alias as it is for other programs until its time, and is done once", async () => {
    const { page, person, address, left } = await openList(2);
    await removeAndSee(page, address(1));
    await expect.poll(left).toBe(1);
    const marked = (await person.listAliases()).filter(({ deletesAt }) => deletesAt !== undefined);
    expect(marked).toMatchObject([{ active: true, forwardTo: "jonas@inbox.example" }]);
    await page.goto("/settings");
    await expect.poll(async () => (await person.listAliases()).length, inTime).toBe(1);
    await page.goto("/dashboard");
    await aliasRow(page, address(2)).waitFor();
    expect(await listedAddresses(page)).toEqual([address(2)]);
    expect(await undoRows(page).count()).toBe(0);
  });

  test("happens though the session has ended, and a hidden tab neither speeds it up nor stops it", async () => {
    const { page, person, address, left } = await openList(2);
    await removeAndSee(page, address(1));
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
    await expect.poll(left).toBe(1);
    expect(await person.listAliases()).toHaveLength(2);
    await page.getByRole("button", { name: "Log out" }).click();
    await seeToast(page, "Logged Out");
    expect(await undoRows(page).count()).toBe(0);
    const again = await site.visit();
    await again.context.request.post("/api/auth/login", { data: { email: person.email, password: person.password } });
    const listed = async () => {
      const response = await again.context.request.get(`/api/aliases/${person.user.id}`);
      return ((await response.json()) as { aliases: unknown[] }).aliases.length;
    };
    await expect.poll(listed, inTime).toBe(1);
  });

  test("that could not be undone without the network can be once it is back", async () => {
    const { page, context, address, left, expectFailure } = await openList(2);
    await removeAndSee(page, address(1));
    expectFailure("/api/aliases/bulk");
    await context.route("**/api/aliases/bulk", (route) => route.abort("connectionrefused"));
    await undoAct(page, "Alias Deleted");
    await seeToast(page, "Undo Failed");
    await expect.poll(() => listedAddresses(page)).toEqual([address(2)]);
    await context.unrouteAll();
    await undoAct(page, "Alias Deleted");
    await seeToast(page, "Deletion Undone");
    await expect.poll(left).toBe(2);
    expect(await listedAddresses(page)).toEqual([1, 2].map(address));
  });

  test.runIf(isLongRun)("is carried out by a server that was restarted meanwhile", async () => {
    const { page, person, address } = await openList(2);
    await removeAndSee(page, address(1));
    await page.goto("/about");
    await site.restart();
    await expect.poll(async () => (await person.listAliases()).length, inTime).toBe(1);
  });

  test("makes way for a new alias with the same name", async () => {
    const { page, person, address, aliases, left } = await openList(1);
    await removeAndSee(page, address(1));
    await expect.poll(left).toBe(0);
    const again = await person.createAlias({ alias: aliases[0]?.alias, forwardTo: "rasa@inbox.example" });
    await page.reload();
    await aliasRow(page, address(1)).getByText("rasa@inbox.example").waitFor();
    expect((await person.listAliases()).map(({ id }) => id)).toEqual([again.id]);
  });
});

describe("rows with Undo", () => {
  test("Control Z undoes the newest first, but not in a text field", async () => {
    const { page, person, address } = await openList(2);
    await aliasSwitch(page, address(1)).click();
    await seeUndo(page, "Alias Paused", `Mail to ${address(1)} is silently dropped.`);
    await removeAndSee(page, address(2));
    const name = createForm(page).getByLabel("Alias name and domain");
    await name.fill("typed");
    await name.press("Control+z");
    expect(await undoRows(page).count()).toBe(2);
    await page.getByRole("heading", { name: "Aliases", exact: true }).focus();
    await page.keyboard.press("Control+z");
    await seeToast(page, "Deletion Undone", address(2));
    await page.keyboard.press("Control+z");
    await expect.poll(async () => (await person.listAliases()).map(({ active }) => active)).toEqual([true, true]);
    expect(await undoRows(page).count()).toBe(0);
    await expect.poll(() => aliasSwitch(page, address(1)).getAttribute("aria-checked")).toBe("true");
  });

  test("an edit of several fields is undone as a whole", async () => {
    const { page, person, address } = await openList(1);
    await page.getByRole("button", { name: `Edit ${address(1)}` }).click();
    await page.getByRole("row").getByRole("textbox", { name: "Notes", exact: true }).fill("New words");
    await page.getByRole("row").getByRole("textbox", { name: "Forward to", exact: true }).fill("rasa@inbox.example");
    await page.keyboard.press("Enter");
    await undoAct(page, "Alias Updated", address(1));
    await seeToast(page, "Change Undone", address(1));
    expect(await person.listAliases()).toMatchObject([{ forwardTo: "jonas@inbox.example", notes: null }]);
  });

  test.each([900, 700])("rows with Undo never cover the selection bar, %i pixels high", async (height) => {
    const { page, address } = await openList(3, { height });
    const bar = page.getByRole("group", { name: "Selected aliases" });
    const rows = undoRows(page);
    const apart = async () => {
      const [barBox, ...rowBoxes] = await Promise.all([bar, ...(await rows.all())].map((one) => one.boundingBox()));
      return rowBoxes.every(
        (box) =>
          box !== null &&
          barBox !== undefined &&
          barBox !== null &&
          (box.y >= barBox.y + barBox.height || box.y + box.height <= barBox.y) &&
          box.y + box.height <= height,
      );
    };
    for (const name of ["Pause", "Activate", "Pin"]) {
      const box = page.getByRole("checkbox", { name: `Select ${address(1)}` });
      if (!(await box.isChecked())) await box.click();
      await bar.getByRole("button", { name, exact: true }).click();
      await seeUndo(page, `Aliases ${{ Pause: "Paused", Activate: "Activated" }[name] ?? "Pinned"}`);
    }
    await page.getByRole("checkbox", { name: `Select ${address(2)}` }).check();
    await rows.first().hover();
    await expect.poll(apart).toBe(true);
    for (const top of [60, 9999]) {
      await page.evaluate(`scrollTo({ top: ${top}, behavior: "instant" })`);
      await expect.poll(apart).toBe(true);
    }
  });

  test("destinations of many aliases are restored, to each its own", async () => {
    const { page, person, address, aliases } = await openList(3);
    await person.call("PUT", `/api/aliases/${aliases[1]?.id}`, { forwardTo: "ona@inbox.example" });
    await page.reload();
    await page.getByRole("checkbox", { name: `Select ${address(1)}` }).click();
    await page.getByRole("checkbox", { name: `Select ${address(3)}` }).click({ modifiers: ["Shift"] });
    await page.getByRole("group", { name: "Selected aliases" }).getByRole("button", { name: "Forward to" }).click();
    await page.getByRole("dialog").getByLabel("Forward to").fill("rasa@inbox.example");
    await page.keyboard.press("Enter");
    await undoAct(page, "Destinations Changed", "3 aliases");
    await seeToast(page, "Change Undone", "3 aliases");
    const after = (await person.listAliases()).map(({ forwardTo }) => forwardTo);
    expect(after).toEqual(["jonas@inbox.example", "ona@inbox.example", "jonas@inbox.example"]);
  });

  test("at most three show, the focus stays among them, and nothing sticks out of a narrow window", async () => {
    const visit = await openList(5, { width: 320 });
    const { page, address } = visit;
    for (const place of [1, 2, 3, 4]) {
      await aliasSwitch(page, address(place)).click();
      await seeUndo(page, "Alias Paused", `Mail to ${address(place)} is silently dropped.`);
    }
    expect(await undoRows(page).count()).toBe(3);
    await page.getByText("1 more with Ctrl Z").waitFor();
    expect(await axeFindings(visit)).toEqual([]);
    expect(await sidewaysOverflow(visit)).toEqual([]);
    const buttons = undoRows(page).getByRole("button", { name: "Undo" });
    await buttons.first().focus();
    await page.keyboard.press("Enter");
    await seeFocus(buttons.first());
    for (let count = 0; count < 3; count++) await page.keyboard.press("Control+z");
    await seeGone(undoRows(page).first());
    expect(await page.evaluate("document.activeElement !== document.body")).toBe(true);
  });
});
