/** Screens of an alias' panel, for the list of screens to capture. */
import type { NoticeWire } from "@kauke/contract";
import type { Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { ordered } from "./dashboard-screens.ts";
import { onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

async function openAlias({ page }: Visit, address: string): Promise<void> {
  await page.getByRole("link", { name: address }).click();
  const dialog = page.getByRole("dialog", { name: address });
  await dialog.getByRole("img", { name: /^QR code/ }).waitFor();
  await dialog.getByRole("combobox", { name: "Forward encrypted" }).waitFor();
}

const scrollTo = (page: Page, name: string) =>
  page
    .getByRole("dialog")
    .getByRole("heading", { name })
    .evaluate((heading) => heading.scrollIntoView());

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
  await page.getByRole("dialog").getByText("the mailbox is full").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "View" }).last().waitFor();
}

export const aliasPanelScreens: readonly Screen[] = [
  overlaid(ordered("panel", (visit) => openAlias(visit, "rent@vejas.test"))),
  overlaid(
    ordered("panel-editing", async (visit) => {
      await openAlias(visit, "news.7h2@kauke.test");
      const dialog = visit.page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Change labels" }).click();
      await dialog.getByRole("button", { name: /^Edit forward to/ }).click();
      await dialog.getByRole("textbox", { name: "Forward to" }).fill("nobody");
      await visit.page.keyboard.press("Enter");
      await dialog.getByRole("alert").waitFor();
    }),
  ),
  onlyLong(overlaid(ordered("panel-notice", openWithNotice))),
  overlaid(
    ordered("panel-end", async (visit) => {
      await openWithNotice(visit);
      await scrollTo(visit.page, "Sending and encryption");
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
