/** Screens of the page that moves aliases in, for the list of screens to capture. */
import type { ChecklistRowWire, ImportRowWire, ImportWire } from "@kauke/contract";
import type { Visit } from "../browser/browser.ts";
import { aFile, bitwardenExport } from "../move/exports.ts";
import { onlyLong } from "./make-screen.ts";
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

/**
 * Rows of the checklist for the screens.
 * @param aliasIds ids of the persona's aliases, for the first rows
 */
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

const importId = "00000000-0000-4000-8000-0000000000aa";

const anImport = (change: Partial<ImportWire>): ImportWire => ({
  importId,
  state: "planned",
  format: "simplelogin-csv",
  domain: "kauke.test",
  createdAt: new Date().toISOString(),
  endedAt: null,
  undoUntil: null,
  deletedAt: new Date(Date.now() + 86_400_000).toISOString(),
  rows: 340,
  counts: {
    create: 212,
    twin: 97,
    exists: 4,
    taken: 0,
    unchecked: 6,
    reserved: 2,
    invalid: 1,
    deleted: 18,
    over_limit: 0,
  },
  progress: { done: 0, total: 315 },
  made: 0,
  undone: 0,
  kept: [],
  keptCount: 0,
  unconfirmed: ["rasa@inbox.example", "work@a-company-with-a-long-name.example"],
  remarks: ["The file names no destination for 3 aliases; they forward to your default mailbox."],
  ...change,
});

const aRow = (row: number, change: Partial<ImportRowWire>): ImportRowWire => ({
  row,
  address: `garden.${row}@kauke.test`,
  result: "create",
  becomes: `garden.${row}@kauke.test`,
  reason: null,
  forwardTo: "jonas@example.org",
  active: true,
  notes: null,
  made: false,
  ...change,
});

const importRows: readonly ImportRowWire[] = [
  aRow(1, {}),
  aRow(2, { result: "twin", address: "forum.x9f4@simplelogin.com", becomes: "forum.x9f4@kauke.test", active: false }),
  aRow(3, {
    result: "twin",
    address: "a.very.long.alias.name.that.somebody.chose@aleeas.com",
    becomes: "a.very.long.alias.name.that.somebody.chose.k7m2qa@kauke.test",
    reason: "The name is taken here, so it gets a few more letters.",
    forwardTo: "jonas@example.org, rasa@inbox.example",
  }),
  aRow(4, { result: "reserved", address: "admin@kauke.test", becomes: null, reason: "The name admin is reserved." }),
  aRow(5, { result: "exists", address: "bank.lt@kauke.test", becomes: "bank.lt@kauke.test" }),
  aRow(6, {
    result: "unchecked",
    becomes: null,
    reason: "Whether this address is free is found out when the import runs.",
  }),
  aRow(7, { result: "deleted", address: "old.k3@simplelogin.com", becomes: null }),
];

const imported = (name: string, change: Partial<ImportWire>, heading: string): Screen =>
  move(name, async ({ context, page }) => {
    const shown = anImport(change);
    await context.route("**/api/imports", (route) => route.fulfill({ json: { imports: [shown] } }));
    await context.route(`**/api/imports/${importId}?*`, (route) =>
      route.fulfill({ json: { ...shown, page: { number: 0, count: 4, rows: importRows } } }),
    );
    await page.goto("/move");
    await page.getByRole("heading", { name: heading }).waitFor();
    await page.getByText("The name admin is reserved.").waitFor();
  });

const inAnHour = () => new Date(Date.now() + 42.5 * 60_000).toISOString();
const finished: Partial<ImportWire> = {
  counts: { ...anImport({}).counts, create: 216, taken: 2, unchecked: 0 },
  progress: { done: 315, total: 315 },
  made: 313,
  unconfirmed: [],
  remarks: [],
};

export const moveScreens: readonly Screen[] = [
  move("empty", async (visit) => {
    await visit.page.goto("/move");
    await chooser(visit).waitFor();
  }),
  onlyLong(
    move("loading", async ({ context, page }) => {
      await context.route(checklistPath, () => {});
      await page.goto("/move");
      await page.locator(".checklist .skel").first().waitFor();
    }),
  ),
  onlyLong(
    move("failed", async ({ context, page, expectFailure }) => {
      expectFailure("/api/checklist");
      await context.route(checklistPath, (route) => route.abort("connectionrefused"));
      await page.goto("/move");
      await page.getByText("Your checklist could not be loaded").waitFor();
    }),
  ),
  onlyLong(withFile("wrong-file", { name: "vault.json", text: '{"encrypted":true}' }, "“vault.json” is encrypted")),
  withFile("choose", { name: "bitwarden_export.json", text: logins }, "logins from Bitwarden"),
  move("service", async ({ page }) => {
    await page.goto("/move");
    await page.getByRole("radio", { name: "From an account" }).check();
    await page.getByRole("button", { name: "Read my aliases" }).click();
    await page.getByText("Please enter the API key").waitFor();
  }),
  imported("planned", {}, "What would happen"),
  onlyLong(imported("running", { state: "running", progress: { done: 120, total: 315 } }, "Importing aliases")),
  imported("done", { ...finished, state: "done", undoUntil: inAnHour() }, "Import finished"),
  onlyLong(
    imported(
      "undone",
      { ...finished, state: "undone", undone: 307, keptCount: 2, kept: ["garden.1@kauke.test", "shop@kauke.test"] },
      "Import undone",
    ),
  ),
  listed("checklist"),
  onlyLong(
    listed("checklist-all", async ({ page }) => {
      await page.getByRole("radio", { name: "All 7" }).check();
    }),
  ),
  onlyLong(
    listed("checklist-no-match", async ({ page }) => {
      await page.getByLabel("Search sites").fill("nowhere");
      await page.getByText("No sites match").waitFor();
    }),
  ),
  {
    ...listed("checklist-delete", async ({ page }) => {
      await page.getByRole("button", { name: "Delete checklist" }).click();
      await page.getByRole("dialog").waitFor();
    }),
    overlay: true,
  },
];
