/** Finding, pausing, changing and deleting aliases, with every message shown on the way. */
import { aliasMessages } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { personas } from "@kauke/testkit/personas";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  hoverAtRest,
  seeFieldError,
  seeFocus,
  seeGone,
  seeStored,
  seeToast,
  seeUndo,
  undoAct,
} from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, aliasSwitch, dismissToast, listedAddresses, toggleAlias, tryAgain } from "../browser/steps.ts";

const site = runSite();
const inbox = "jonas@inbox.example";
let made = 0;
/** A new alias name: aliases are unique over all accounts of this test file's server. */
const newName = () => `alias-${++made}`;

/** Opens the dashboard of a new account with these aliases, the first on top of the list. */
async function openList(aliases: readonly { alias: string; forwardTo?: string; notes?: string }[]) {
  const person = await site.person();
  for (const alias of aliases.toReversed()) await person.createAlias({ forwardTo: inbox, ...alias });
  const visit = await site.visit({ as: person });
  await visit.page.goto("/dashboard");
  for (const { alias } of aliases) await aliasRow(visit.page, `${alias}@kauke.test`).waitFor();
  return { ...visit, person };
}

describe("the list", () => {
  /** Opens the dashboard of an account with 48 aliases on three domains, which no test changes. */
  async function openFull() {
    await personas.full.create(site.server.url);
    const { email, password } = personas.full;
    const visit = await site.visit();
    const answer = await visit.context.request.post("/api/auth/login", { data: { email, password } });
    expect(answer.status()).toBe(200);
    await visit.page.goto("/dashboard");
    await aliasRow(visit.page, "list.48@vejas.test").waitFor();
    return visit;
  }

  const range = (page: Page) => page.getByText(/^\d+–\d+ of \d+$/);
  const pager = (page: Page) => page.getByRole("navigation", { name: "Pages" });
  const pageButtons = (page: Page) => pager(page).getByRole("button", { name: /^Page \d+$/ });

  test("search covers address, destinations and notes, in any case, and starts at page 1", async () => {
    const { page } = await openFull();
    const search = page.getByRole("searchbox", { name: "Search aliases" });
    await pager(page).getByRole("button", { name: "Page 3" }).click();
    await expect.poll(() => range(page).innerText()).toBe("21–30 of 48");
    await search.fill("SLAPTA.test");
    await expect.poll(() => range(page).innerText()).toBe("1–10 of 16");
    await search.fill("hooks.example");
    await expect.poll(() => range(page).innerText()).toBe("1–7 of 7");
    await search.fill("mailing LIST 31");
    await expect.poll(() => listedAddresses(page)).toEqual(["list.31@kauke.test"]);
    await search.fill("nothing like this");
    await page.getByText("No aliases match “nothing like this”").waitFor();
    await page.getByRole("button", { name: "Clear search" }).click();
    await expect.poll(() => range(page).innerText()).toBe("1–10 of 48");
  });

  test.runIf(isLongRun)("10, 25, 50 or 100 aliases are shown per page, and another size starts at page 1", async () => {
    const { page } = await openFull();
    const size = page.getByRole("combobox", { name: "Aliases per page" });
    expect(await size.inputValue()).toBe("10");
    expect(await size.getByRole("option").evaluateAll((all) => all.map((it) => it.value))).toEqual([
      "10",
      "25",
      "50",
      "100",
    ]);
    await pager(page).getByRole("button", { name: "Page 5" }).click();
    await expect.poll(async () => (await listedAddresses(page)).length).toBe(8);
    for (const [per, shown] of [
      ["25", "1–25 of 48"],
      ["50", "1–48 of 48"],
      ["100", "1–48 of 48"],
    ] as const) {
      await size.selectOption(per);
      await expect.poll(() => range(page).innerText()).toBe(shown);
    }
    expect(await listedAddresses(page)).toHaveLength(48);
    expect(await pager(page).count()).toBe(0);
  });

  test("the pager shows five pages at most, marks the current one, and stops at both ends", async () => {
    const person = await site.person();
    for (let count = 0; count < 71; count++) await person.createAlias({ forwardTo: inbox });
    const { page } = await site.visit({ as: person });
    await page.goto("/dashboard");
    const shown = async () => (await pageButtons(page).allInnerTexts()).join(" ");
    const [previous, next] = [
      pager(page).getByRole("button", { name: "Previous page" }),
      pager(page).getByRole("button", { name: "Next page" }),
    ];
    await expect.poll(shown).toBe("1 2 3 4 5");
    expect(await previous.isDisabled()).toBe(true);
    await pager(page).getByRole("button", { name: "Page 5" }).click();
    await expect.poll(shown).toBe("3 4 5 6 7");
    for (let clicks = 0; clicks < 3; clicks++) await next.click();
    await expect.poll(shown).toBe("4 5 6 7 8");
    await expect.poll(() => range(page).innerText()).toBe("71–71 of 71");
    expect(await next.isDisabled()).toBe(true);
    expect(await pager(page).getByRole("button", { name: "Page 8" }).getAttribute("aria-current")).toBe("page");
    await previous.click();
    await expect.poll(() => range(page).innerText()).toBe("61–70 of 71");
  });

  test("notes are cut to 30 characters; the tooltip has the whole text, for pointer and keyboard", async () => {
    const notes = "Online orders and parcel lockers in Vilnius";
    const [long, fits] = [newName(), newName()];
    const { page } = await openList([
      { alias: long, notes },
      { alias: fits, notes: "x".repeat(30) },
    ]);
    const cut = aliasRow(page, `${long}@kauke.test`).getByText(`${notes.slice(0, 30)}…`, { exact: true });
    await aliasRow(page, `${fits}@kauke.test`).getByText("x".repeat(30), { exact: true }).waitFor();
    const tooltip = page.getByRole("tooltip");
    await hoverAtRest(cut);
    await tooltip.waitFor();
    expect(await tooltip.innerText()).toBe(notes);
    await page.getByRole("searchbox").hover();
    await seeGone(tooltip);
    await page.getByRole("button", { name: `Copy ${long}@kauke.test` }).focus();
    await page.keyboard.press("Tab");
    await tooltip.waitFor();
    expect(await tooltip.innerText()).toBe(notes);
    await page.keyboard.press("Escape");
    await seeGone(tooltip);
  });

  test("a list that could not be loaded says why and can be requested again", async () => {
    const person = await site.person();
    const { alias } = await person.createAlias({ forwardTo: inbox });
    const { page, context, expectFailure } = await site.visit({ as: person });
    expectFailure("/api/aliases/me");
    await context.route("**/api/aliases/*", (route) => route.abort("connectionrefused"));
    await page.goto("/dashboard");
    await page.getByRole("alert").filter({ hasText: "Your aliases could not be loaded" }).waitFor();
    await context.unroute("**/api/aliases/*");
    await tryAgain(page);
    await aliasRow(page, `${alias}@kauke.test`).waitFor();
  });

  test("the copy button copies the address to the clipboard, with a message", async () => {
    const alias = newName();
    const { page, context } = await openList([{ alias }]);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: `Copy ${alias}@kauke.test` }).click();
    await seeToast(page, "Copied to clipboard");
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`${alias}@kauke.test`);
  });
});

describe("pausing", () => {
  test("the switch pauses and activates, shows a message for both, and the state is the same after a reload", async () => {
    const alias = newName();
    const { page, person } = await openList([{ alias }]);
    const address = `${alias}@kauke.test`;
    await toggleAlias(page, address, "off");
    await aliasRow(page, address).getByText("Paused - emails silently dropped", { exact: true }).waitFor();
    expect(await aliasSwitch(page, address).getAttribute("aria-checked")).toBe("false");
    await page.reload();
    await aliasRow(page, address).getByText("Paused - emails silently dropped", { exact: true }).waitFor();
    expect((await person.listAliases())[0]).toMatchObject({ active: false, forwardTo: "null", lastForwardTo: inbox });
    await toggleAlias(page, address, "on");
    await page.reload();
    await aliasRow(page, address).getByText(inbox, { exact: true }).waitFor();
    expect(await aliasSwitch(page, address).getAttribute("aria-checked")).toBe("true");
  });

  test("the switch moves at once and moves back if the server refuses", async () => {
    const alias = newName();
    const { page, context, expectRefusal } = await openList([{ alias }]);
    const address = `${alias}@kauke.test`;
    expectRefusal(503, /\/toggle$/);
    const held = Promise.withResolvers<void>();
    await context.route("**/toggle", async (route) => {
      await held.promise;
      await route.fulfill({ status: 503, json: { message: "The service is not available now." } });
    });
    const paused = aliasRow(page, address).getByText("Paused - emails silently dropped", { exact: true });
    await aliasSwitch(page, address).click();
    await paused.waitFor();
    held.resolve();
    await seeToast(page, "Toggle Failed", "The service is not available now.");
    await seeGone(paused);
    expect(await aliasSwitch(page, address).getAttribute("aria-checked")).toBe("true");
    await page.reload();
    await aliasRow(page, address).getByText(inbox, { exact: true }).waitFor();
  });

  test.runIf(isLongRun)("clicks in quick succession end in the last one's state, here and at the server", async () => {
    const alias = newName();
    const { page, person } = await openList([{ alias }]);
    const address = `${alias}@kauke.test`;
    let answered = 0;
    page.on("response", (response) => {
      if (response.url().endsWith("/toggle")) answered++;
    });
    for (let clicks = 0; clicks < 3; clicks++) await aliasSwitch(page, address).click();
    await expect.poll(() => answered).toBe(3);
    expect((await person.listAliases())[0]?.active).toBe(false);
    expect(await aliasSwitch(page, address).getAttribute("aria-checked")).toBe("false");
  });
});

describe("changing", () => {
  const editRow = (page: Page) =>
    page.getByRole("row").filter({ has: page.getByRole("textbox", { name: "Forward to" }) });
  const field = (page: Page, name: "Forward to" | "Notes") => editRow(page).getByRole("textbox", { name, exact: true });

  async function startEdit(page: Page, address: string): Promise<void> {
    await page.getByRole("button", { name: `Edit ${address}` }).click();
    await seeFocus(field(page, "Forward to"));
  }

  const renameDialog = (page: Page) => page.getByRole("dialog", { name: "Rename alias" });

  test("Enter saves destinations and notes, and they are the same after a reload", async () => {
    const alias = newName();
    const { page } = await openList([{ alias, notes: "Old" }]);
    await startEdit(page, `${alias}@kauke.test`);
    await field(page, "Forward to").fill("rasa@inbox.example");
    await field(page, "Notes").fill("New");
    await page.keyboard.press("Enter");
    await seeUndo(page, "Alias Updated");
    await seeGone(editRow(page));
    await seeFocus(page.getByRole("button", { name: `Edit ${alias}@kauke.test` }));
    await page.reload();
    const row = aliasRow(page, `${alias}@kauke.test`);
    await row.getByText("rasa@inbox.example", { exact: true }).waitFor();
    await row.getByText("New", { exact: true }).waitFor();
    expect(await listedAddresses(page)).toEqual([`${alias}@kauke.test`]);
  });

  test("a new name is an act of its own that says what becomes of the old address, and can be undone", async () => {
    const [alias, renamed] = [newName(), newName()];
    const { page, person } = await openList([{ alias }]);
    await startEdit(page, `${alias}@kauke.test`);
    const dialog = renameDialog(page);
    const name = dialog.getByLabel("Alias name");
    await page.getByRole("button", { name: `Rename ${alias}@kauke.test` }).click();
    await dialog.getByText(`Mail to ${alias}@kauke.test will be refused. Sites that have it must be told.`).waitFor();
    await name.fill(renamed);
    await page.keyboard.press("Escape");
    await seeGone(dialog);
    expect((await person.listAliases())[0]?.alias).toBe(alias);
    await page.getByRole("button", { name: `Rename ${alias}@kauke.test` }).click();
    await name.fill("  ");
    await page.keyboard.press("Enter");
    await seeFieldError(name, aliasMessages.nameRequired);
    await name.fill(renamed);
    await page.keyboard.press("Enter");
    await seeUndo(page, "Alias Updated", `${renamed}@kauke.test`);
    expect((await person.listAliases())[0]?.alias).toBe(renamed);
    await undoAct(page, "Alias Updated");
    await seeToast(page, "Change Undone", `${alias}@kauke.test`);
    expect((await person.listAliases())[0]?.alias).toBe(alias);
  });

  test("what is typed into a row survives a second row and a reload, until it is saved or cancelled", async () => {
    const [one, two] = [newName(), newName()];
    const { page, person } = await openList([{ alias: one }, { alias: two }]);
    await startEdit(page, `${one}@kauke.test`);
    await field(page, "Notes").fill("half a th");
    await startEdit(page, `${two}@kauke.test`);
    await startEdit(page, `${one}@kauke.test`);
    await expect.poll(() => field(page, "Notes").inputValue()).toBe("half a th");
    await seeStored(page);
    await page.reload();
    await expect.poll(() => field(page, "Notes").inputValue()).toBe("half a th");
    await field(page, "Notes").press("Escape");
    await startEdit(page, `${one}@kauke.test`);
    expect(await field(page, "Notes").inputValue()).toBe("");
    expect((await person.listAliases()).map(({ notes }) => notes)).toEqual([null, null]);
  });

  test.runIf(isLongRun)("Escape leaves everything as it was and sends no request", async () => {
    const alias = newName();
    const { page } = await openList([{ alias, notes: "Old" }]);
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PUT") sent++;
    });
    await startEdit(page, `${alias}@kauke.test`);
    await field(page, "Notes").fill("New");
    await page.keyboard.press("Escape");
    await aliasRow(page, `${alias}@kauke.test`).getByText("Old", { exact: true }).waitFor();
    await seeGone(editRow(page));
    expect(sent).toBe(0);
  });

  test.runIf(isLongRun)("an alias that forwards to a webhook only can be changed", async () => {
    const alias = newName();
    const { page, person } = await openList([{ alias, forwardTo: "https://hooks.example.org/first" }]);
    await startEdit(page, `${alias}@kauke.test`);
    await field(page, "Forward to").fill("https://hooks.example.org/second");
    await page.keyboard.press("Enter");
    await seeUndo(page, "Alias Updated");
    expect((await person.listAliases())[0]?.forwardTo).toBe("https://hooks.example.org/second");
  });

  test.runIf(isLongRun)("changing a paused alias changes where it will forward and leaves it paused", async () => {
    const alias = newName();
    const { page, person } = await openList([{ alias }]);
    const address = `${alias}@kauke.test`;
    await toggleAlias(page, address, "off");
    await startEdit(page, address);
    expect(await field(page, "Forward to").inputValue()).toBe(inbox);
    await field(page, "Forward to").fill("rasa@inbox.example");
    await page.keyboard.press("Enter");
    await seeUndo(page, "Alias Updated");
    expect((await person.listAliases())[0]).toMatchObject({ active: false, lastForwardTo: "rasa@inbox.example" });
  });

  test("invalid input is reported in the row and not saved", async () => {
    const alias = newName();
    const { page, person } = await openList([{ alias }]);
    await startEdit(page, `${alias}@kauke.test`);
    await field(page, "Forward to").fill("nobody");
    await page.keyboard.press("Enter");
    await seeFieldError(field(page, "Forward to"), aliasMessages.forwardToFormat);
    expect((await person.listAliases())[0]).toMatchObject({ alias, forwardTo: inbox });
  });

  test.runIf(isLongRun)("a name that the server refuses stays in the dialog", async () => {
    const taken = newName();
    await (await site.person()).createAlias({ alias: taken, forwardTo: inbox });
    const alias = newName();
    const { page, expectRefusal } = await openList([{ alias }]);
    expectRefusal(409, /^\/api\/aliases\/[\w-]+$/);
    await startEdit(page, `${alias}@kauke.test`);
    await page.getByRole("button", { name: `Rename ${alias}@kauke.test` }).click();
    const name = renameDialog(page).getByLabel("Alias name");
    await name.fill(taken);
    await page.keyboard.press("Enter");
    await seeToast(page, "Update Failed", "This alias is already taken. Please choose another name.");
    expect(await name.inputValue()).toBe(taken);
    await seeFieldError(name, "This alias is already taken. Please choose another name.");
  });

  test("a change in one tab shows in the other; saving over it shows both and lets one choose", async () => {
    const alias = newName();
    const { page, context, person, expectRefusal } = await openList([{ alias, notes: "old" }]);
    expectRefusal(409, /^\/api\/aliases\/[\w-]+$/);
    const other = await context.newPage();
    await other.goto("/dashboard");
    await startEdit(other, `${alias}@kauke.test`);
    await field(other, "Notes").fill("from the other tab");
    await startEdit(page, `${alias}@kauke.test`);
    await field(page, "Notes").fill("from this tab");
    await page.keyboard.press("Enter");
    await seeUndo(page, "Alias Updated");
    await other.keyboard.press("Enter");
    const question = other.getByRole("dialog", { name: "Changed elsewhere" });
    await question.getByRole("radio", { name: /^Yours.*from the other tab/ }).waitFor();
    await question.getByRole("radio", { name: /^Saved elsewhere.*from this tab/ }).waitFor();
    expect((await person.listAliases())[0]?.notes).toBe("from this tab");
    // Going back loses nothing, and the next attempt asks again.
    await other.keyboard.press("Escape");
    await seeGone(question);
    expect(await field(other, "Notes").inputValue()).toBe("from the other tab");
    await field(other, "Notes").press("Enter");
    await question.getByRole("button", { name: "Save Alias" }).click();
    await seeUndo(other, "Alias Updated");
    await aliasRow(page, `${alias}@kauke.test`).getByText("from the other tab").waitFor();
  });

  test.runIf(isLongRun)("a reserved name is not sent to the server, and its field says so", async () => {
    const alias = newName();
    const { page, person } = await openList([{ alias }]);
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "PUT") sent++;
    });
    await startEdit(page, `${alias}@kauke.test`);
    await page.getByRole("button", { name: `Rename ${alias}@kauke.test` }).click();
    const name = renameDialog(page).getByLabel("Alias name");
    await name.fill("adm1n");
    await page.keyboard.press("Enter");
    await seeToast(page, "Alias Not Allowed", "The name adm1n is reserved.");
    await seeFieldError(name, "The name adm1n is reserved.");
    expect(sent).toBe(0);
    expect((await person.listAliases())[0]).toMatchObject({ alias });
  });
});

describe("deleting", () => {
  const remove = (page: Page, address: string) => page.getByRole("button", { name: `Delete ${address}` }).click();

  test("an alias is deleted at once, comes back by Undo, and stays deleted otherwise", async () => {
    const [alias, other] = [newName(), newName()];
    const { page, person } = await openList([{ alias }, { alias: other }]);
    const before = await listedAddresses(page);
    await remove(page, `${alias}@kauke.test`);
    await undoAct(page, "Alias Deleted", `${alias}@kauke.test`);
    await expect.poll(() => listedAddresses(page)).toEqual(before);
    await remove(page, `${alias}@kauke.test`);
    await seeUndo(page, "Alias Deleted");
    expect(await listedAddresses(page)).toEqual([`${other}@kauke.test`]);
    await expect.poll(async () => (await person.listAliases()).length, { timeout: 20_000 }).toBe(1);
    await page.reload();
    await aliasRow(page, `${other}@kauke.test`).waitFor();
    expect(await listedAddresses(page)).toEqual([`${other}@kauke.test`]);
  });

  test.runIf(isLongRun)("an alias whose deletion fails returns to its place", async () => {
    const names = [newName(), newName(), newName()];
    const { page, context, expectFailure } = await openList(names.map((alias) => ({ alias })));
    expectFailure("/api/aliases/bulk");
    await context.route("**/api/aliases/bulk", (route) => route.abort("connectionrefused"));
    await remove(page, `${names[1]}@kauke.test`);
    await seeToast(page, "Deletion Failed", /could not be reached/);
    await expect.poll(() => listedAddresses(page)).toEqual(names.map((alias) => `${alias}@kauke.test`));
    await dismissToast(page);
  });
});
