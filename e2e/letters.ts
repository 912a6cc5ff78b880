/** Messages of ours as their reader finds them in the preview inbox. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { seeHeading } from "./see.ts";

/** Opens the newest message of this subject. @returns the path of the link in it, e.g. `/reset#abc…` */
export async function openLetter(page: Page, subject: string): Promise<string> {
  await page.goto("/preview");
  await page.getByRole("listitem").getByRole("button", { name: subject }).first().click();
  await seeHeading(page, subject);
  await page.getByRole("tab", { name: "Text", exact: true }).click();
  const text = page.getByRole("tabpanel", { name: "Text", exact: true });
  await expect.poll(() => text.innerText()).toMatch(/http:\/\/\S+/);
  const { pathname, hash } = new URL(/http:\/\/\S+/.exec(await text.innerText())?.[0] ?? "");
  return `${pathname}${hash}`;
}
