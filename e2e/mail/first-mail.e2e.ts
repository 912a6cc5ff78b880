/**
 * The promise on the landing page: from there to a forwarding alias in 30 seconds. Measured at the pace of a person who
 * knows what to type, with the default settings. A first message sent to the alias is then in the preview inbox.
 */
import { sendMail } from "@kauke/testkit/send-mail";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { seeHeading, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { aliasRow, createForm, destinationsIn } from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";
import { multipartMessage, subjectOf } from "./message.ts";

/** `KAUKE_LIMITS` has its default: mailboxes are asked for confirmation, and their mail is delivered meanwhile. */
const site = runSite({ env: () => ({ KAUKE_LIMITS: "" }) });
const PROMISED_MS = 30_000;
/**
 * Milliseconds that people usually need at a computer (keystroke-level model): to find and press something, and for a
 * key.
 */
const PRESS_MS = 1100;
const KEY_MS = 120;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function press(target: Locator): Promise<void> {
  await pause(PRESS_MS);
  await target.click();
}

async function type(field: Locator, text: string): Promise<void> {
  await press(field);
  await field.pressSequentially(text, { delay: KEY_MS });
}

const windows = [
  ["wide", widths.desktop],
  ["narrow", widths.phone],
] as const;

test.each(usually(windows, 1))(
  "from the landing page to a forwarding alias takes less than 30 seconds, %s",
  async (name, width) => {
    const { page } = await site.visit({ width });
    const word = "amber 30";
    await page.goto("/");
    await page.getByRole("heading", { level: 1 }).waitFor();
    const begin = performance.now();
    await press(page.getByRole("main").getByRole("link", { name: "Sign up with email" }));
    await type(page.getByLabel("Email"), `o.${name}@people.example`);
    await type(page.getByLabel(/^Password/), word);
    await type(page.getByLabel("Confirm password"), word);
    await press(page.getByRole("button", { name: "Create Account" }));
    await seeHeading(page, "Email Forwarding");
    const form = createForm(page);
    await type(form.getByLabel("Alias name and domain"), `shoes-${name}`);
    // The account's own mailbox is offered, so the name is all that a newcomer types.
    expect(await destinationsIn(page)).toBe(`o.${name}@people.example`);
    await press(form.getByRole("button", { name: "Create Alias" }));
    const address = `shoes-${name}@kauke.test`;
    await aliasRow(page, address).waitFor();
    const tookMs = performance.now() - begin;

    const sent = await sendMail({
      port: site.server.mxPort,
      from: "orders@shop.example",
      to: address,
      message: multipartMessage(7),
    });
    expect(sent.last).toMatch(/^250 /);
    await toasts(page).waitFor();
    await page.goto("/preview");
    await page
      .getByRole("button", { name: subjectOf(7) })
      .first()
      .waitFor();
    expect(tookMs).toBeLessThan(PROMISED_MS);
  },
);
