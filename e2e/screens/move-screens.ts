/** The states of the page that moves aliases in, for the screen list. */
import type { ChecklistRowWire } from "@kauke/contract";
import type { Visit } from "../browser/browser.ts";
import { aFile, bitwardenExport } from "../move/exports.ts";
import type { Screen } from "./screen.ts";

const checklistPath = "**/api/checklist";

const sites: readonly (readonly [site: string, oldAddress: string])[] = [
  ["bank.example", "bank.kq2@simplelogin.com"],
  ["com.transit.tickets", "quiet-otter@duck.com"],
  ["a-very-long-subdomain-of-some-department.university.example", "a.very.long.alias.name.of.mine@ann.anonaddy.com"],
  ["forum.example", "x9f4k2@mozmail.com"],
  ["Library card", "plinth.03.mimes@icloud.com"],
  ["news.example", "quiet-otter@duck.com"],
  ["shop.example", "shop.7x@aleeas.com"],
];

/** @param aliasIds ids of aliases of the persona, for the first rows */
const rowsOf = (aliasIds: readonly string[]): ChecklistRowWire[] =>
  sites.map(([site, oldAddress], index) => ({
    id: `00000000-0000-4000-8000-000000000000.${index}`,
    site,
    oldAddress,
    aliasId: aliasIds[index] ?? null,
    done: index === 0 || index === 5,
  }));

const move = (name: string, open: Screen["open"]): Screen => ({ name: `move-${name}`, as: "some", open });

const chooser = (visit: Visit) => visit.page.getByText("Find the sites in your password manager");

async function aliasIdsOf({ context, origin }: Visit): Promise<string[]> {
  const { user } = (await (await context.request.get(`${origin}/api/auth/session`)).json()) as { user: { id: string } };
  const answer = await context.request.get(`${origin}/api/aliases/${user.id}`);
  const { aliases } = (await answer.json()) as { aliases: { id: string }[] };
  return aliases.map(({ id }) => id);
}

const listed = (name: string, open: Screen["open"] = async () => {}): Screen =>
  move(name, async (visit) => {
    const rows = rowsOf((await aliasIdsOf(visit)).slice(0, 3));
    await visit.context.route(checklistPath, (route) => route.fulfill({ json: { rows } }));
    await visit.page.goto("/move");
    await visit.page.getByText("2 of 7 done").waitFor();
    await open(visit);
  });

const withFile = (name: string, file: { name: string; text: string }, said: string): Screen =>
  move(name, async (visit) => {
    await visit.page.goto("/move");
    await chooser(visit).waitFor();
    await visit.page.getByLabel("Export file").setInputFiles(aFile(file.name, file.text));
    await visit.page.getByText(said).waitFor();
  });

const logins = bitwardenExport([
  ...sites.map(([name, user]) => ({ name, user, uri: `https://${name}` })),
  ...Array.from({ length: 54 }, (_, index) => ({ name: `Site ${index}`, user: "jonas@example.org" })),
  ...Array.from({ length: 9 }, (_, index) => ({
    name: `Site ${index}`,
    user: `old.address.number.${index}@a-university-with-a-long-name.example`,
  })),
]);

export const moveScreens: readonly Screen[] = [
  move("empty", async (visit) => {
    await visit.page.goto("/move");
    await chooser(visit).waitFor();
  }),
  move("loading", async ({ context, page }) => {
    await context.route(checklistPath, () => {});
    await page.goto("/move");
    await page.locator(".checklist .skel").first().waitFor();
  }),
  move("failed", async ({ context, page, expectFailure }) => {
    expectFailure("/api/checklist");
    await context.route(checklistPath, (route) => route.abort("connectionrefused"));
    await page.goto("/move");
    await page.getByText("Your checklist could not be loaded").waitFor();
  }),
  withFile("wrong-file", { name: "vault.json", text: '{"encrypted":true}' }, "“vault.json” is encrypted"),
  withFile("choose", { name: "bitwarden_export.json", text: logins }, "logins from Bitwarden"),
  listed("checklist"),
  listed("checklist-all", async ({ page }) => {
    await page.getByRole("radio", { name: "All 7" }).check();
  }),
  listed("checklist-no-match", async ({ page }) => {
    await page.getByLabel("Search sites").fill("nowhere");
    await page.getByText("No sites match").waitFor();
  }),
  {
    ...listed("checklist-delete", async ({ page }) => {
      await page.getByRole("button", { name: "Delete checklist" }).click();
      await page.getByRole("dialog").waitFor();
    }),
    overlay: true,
  },
];
