/** Screens of an alias' panel, for the list of screens to capture. */
import type { AliasWire, NoticeWire } from "@kauke/contract";
import type { Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { ordered } from "./dashboard-screens.ts";
import { onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

async function openAlias({ page }: Visit, address: string): Promise<void> {
  await page.getByRole("link", { name: address }).click();
  await panel(page).getByRole("button", { name: "Delete Alias" }).waitFor();
}

/** The panel beside the list, or over it. */
const panel = (page: Page) => page.locator(".panel, .sheet");

const noticeOf = (aliasId: string | null): NoticeWire => ({
  id: "00000000-0000-4000-8000-000000000001",
  kind: "delivery_failed",
  aliasId,
  text: "Mail to ci.alerts@tyla.test could not be delivered to jonas@example.org: the mailbox is full.",
  createdAt: "2026-11-21T10:00:00.000Z",
});

async function openWithNotice(visit: Visit): Promise<void> {
  const { page, context } = visit;
  await openAlias(visit, "ci.alerts@tyla.test");
  const notices = [noticeOf(new URL(page.url()).searchParams.get("alias"))];
  await context.route("**/api/notices", (route) => route.fulfill({ json: { notices } }));
  await page.reload();
  await panel(page).getByText("the mailbox is full").waitFor();
}

async function openMadeByMail(visit: Visit, organisation: string | null): Promise<void> {
  const { page, context } = visit;
  await context.route("**/api/aliases/*", async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const response = await route.fetch();
    const { aliases } = (await response.json()) as { aliases: AliasWire[] };
    const madeByMail = { organisation, at: "2026-11-21T10:00:00.000Z" };
    const changed = aliases.map((alias) => (alias.alias === "rent" ? { ...alias, madeByMail } : alias));
    await route.fulfill({ response, json: { aliases: changed } });
  });
  await page.reload();
  await openAlias(visit, "rent@vejas.test");
  await panel(page)
    .getByText(/^Made by first mail/)
    .waitFor();
}

export const aliasPanelScreens: readonly Screen[] = [
  overlaid(ordered("panel", (visit) => openAlias(visit, "rent@vejas.test"))),
  overlaid(
    ordered("panel-editing", async (visit) => {
      await openAlias(visit, "news.7h2@kauke.test");
      const sheet = panel(visit.page);
      await sheet.getByRole("button", { name: "Add or change labels" }).click();
      await sheet.getByRole("button", { name: /^Edit forward to/ }).click();
      await sheet.getByRole("textbox", { name: "Forward to" }).fill("nobody");
      await visit.page.keyboard.press("Enter");
      await sheet.getByRole("alert").waitFor();
    }),
  ),
  onlyLong(
    overlaid(
      ordered("panel-name", async (visit) => {
        await openAlias(visit, "ci.alerts@tyla.test");
        const sheet = panel(visit.page);
        await sheet.getByRole("button", { name: /^Display name/ }).click();
        await sheet.getByRole("textbox", { name: "Display name" }).fill("Jonas, who builds things at Own");
      }),
    ),
  ),
  overlaid(ordered("panel-notice", openWithNotice)),
  overlaid(
    ordered("panel-folds", async (visit) => {
      await openAlias(visit, "ci.alerts@tyla.test");
      const sheet = panel(visit.page);
      await sheet.getByRole("button", { name: "More" }).click();
      await sheet.getByRole("button", { name: "QR Code" }).click();
      await sheet.getByRole("button", { name: /^Write to somebody new/ }).click();
      await sheet.getByLabel("Their e-mail address").fill("ann@planner.example");
      await sheet.getByRole("button", { name: /^Forward encrypted/ }).click();
      await sheet.getByRole("combobox", { name: "Forward encrypted" }).waitFor();
      await sheet.getByRole("button", { name: "More" }).click();
    }),
  ),
  onlyLong(overlaid(ordered("panel-paused", (visit) => openAlias(visit, "forum.q4@rukas.test")))),
  onlyLong(
    ordered("panel-unknown", async ({ page }) => {
      await page.goto("/dashboard?alias=00000000-0000-4000-8000-000000000000");
      await page.getByText("Alias not found").waitFor();
      await page.getByRole("switch").first().waitFor();
    }),
  ),
];

export const madeByMailScreens: readonly Screen[] = [
  overlaid(ordered("panel-by-mail", (visit) => openMadeByMail(visit, "sender.example"))),
  onlyLong(overlaid(ordered("panel-by-mail-unproven", (visit) => openMadeByMail(visit, null)))),
];
