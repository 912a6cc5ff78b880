/** Messages written by the server, read in the preview inbox by their recipient. */
import type { PreviewSummary } from "@kauke/contract";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { seeHeading } from "../browser/see.ts";

/**
 * Opens the newest message with this subject, once it is one to the given recipient.
 * @returns the path of the link in it, e.g. `/reset#abc…`
 */
export async function openServerMessage(page: Page, subject: string, reader: string): Promise<string> {
  await expect.poll(() => newestReader(page, subject)).toBe(reader);
  await page.goto("/preview");
  await page.getByRole("listitem").getByRole("button", { name: subject }).first().click();
  await seeHeading(page, subject);
  await page.getByRole("tab", { name: "Text", exact: true }).click();
  const text = page.getByRole("tabpanel", { name: "Text", exact: true });
  await expect.poll(() => text.innerText()).toMatch(/http:\/\/\S+/);
  const { pathname, hash } = new URL(/http:\/\/\S+/.exec(await text.innerText())?.[0] ?? "");
  return `${pathname}${hash}`;
}

async function newestReader(page: Page, subject: string): Promise<string | undefined> {
  const answer = await page.request.get("/preview/api/messages");
  const { messages } = (await answer.json()) as { messages: PreviewSummary[] };
  return messages.find((message) => message.subject === subject)?.rcptTo;
}
