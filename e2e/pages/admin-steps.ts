/** Steps of the journeys on the admin page. */
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import type { Person } from "@kauke/testkit/person";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { axeFindings, sidewaysOverflow } from "../any-page/axe.ts";
import type { Visit } from "../browser/browser.ts";
import type { Site } from "../browser/site.ts";
import { rest } from "../screens/open-screen.ts";

/** Makes the person an admin, or takes that back, as `kauke users` does. */
export const grantAdmin = ({ server }: Site, { user }: Person, isAdmin = true): Promise<boolean> =>
  controlClient(controlPath(server.dataDir) ?? "")["users-admin"]({ userId: user.id, isAdmin });

export async function newAdmin(site: Site, email: string): Promise<Person> {
  const person = await site.person(email);
  expect(await grantAdmin(site, person)).toBe(true);
  return person;
}

export async function chooseSection(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Admin" }).getByRole("link", { name }).click();
  await page.getByRole("heading", { name, level: 2 }).waitFor();
}

export async function expectAccessible(visit: Visit): Promise<void> {
  await rest(visit);
  expect(await axeFindings(visit)).toEqual([]);
  expect(await sidewaysOverflow(visit)).toEqual([]);
}
