/** Screens of the dashboard: one for every state that looks different. */
import type { AliasWire, LabelWire, NoticeWire } from "@kauke/contract";
import type { personas } from "@kauke/testkit/personas";
import { type Visit, widths } from "../browser/browser.ts";
import { hoverAtRest, seeGone, seeUndo, undoRows } from "../browser/see.ts";
import { createForm, dismissToast, fillCreate, seeSessionOver, setDestinations } from "../browser/steps.ts";
import { holdToast, onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const dashboardOf = (as: keyof typeof personas, name: string, open: Screen["open"] = async () => {}): Screen => ({
  name: `dashboard-${name}`,
  as,
  async open(visit) {
    await visit.page.goto("/dashboard");
    await visit.page.getByRole("heading", { name: "Aliases", exact: true }).waitFor();
    if (as === "empty") await visit.page.getByText("No aliases yet").waitFor();
    else await visit.page.getByRole("switch").first().waitFor();
    await open(visit);
  },
});

/**
 * A screen that is one step from the plain dashboard, or from the screen listed before it, once `leave` has closed what
 * that one opened.
 */
function step(name: string, open: Screen["open"], leave: Screen["open"] = async () => {}): Screen {
  const goOn = async (visit: Visit) => {
    await leave(visit);
    await open(visit);
  };
  return { ...dashboardOf("some", name, open), goOn };
}

/** Opens the panel of an alias at its parts about sending and webhooks. */
async function openPanel({ page }: Visit, address: string): Promise<void> {
  await page.getByRole("link", { name: address }).click();
  await page.getByRole("button", { name: "Delete Alias" }).waitFor();
  for (const fold of [/^Send from this alias/, /^Webhook signature/]) {
    const button = page.getByRole("button", { name: fold });
    if ((await button.count()) > 0 && (await button.getAttribute("aria-expanded")) === "false") await button.click();
  }
}

/** Moves the pointer away, so that no tooltip opens when rows move beneath it. */
const leaveRows = ({ page }: Visit): Promise<void> => page.mouse.move(0, 0);

async function seeHidden({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "View", exact: true }).nth(1).waitFor();
}

async function reveal({ page }: Visit): Promise<void> {
  for (const words of ["The password hides in", "The secret hides in"]) {
    await page.getByRole("button", { name: "View", exact: true }).first().click();
    await page.getByText(words).waitFor();
  }
}

async function closeDialog({ page }: Visit): Promise<void> {
  await page.keyboard.press("Escape");
  await seeGone(page.getByRole("dialog"));
}

const closeToast = ({ page }: Visit): Promise<void> => dismissToast(page);

/** Four notices, one more than the dashboard shows at first. */
const notices: readonly NoticeWire[] = [1, 2, 3, 4].map((number) => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  kind: "delivery_failed",
  aliasId: null,
  text: `Mail to shop.k7@kauke.test could not be delivered to box${number}@example.org: the mailbox is full.`,
  createdAt: "2026-11-21T10:00:00.000Z",
}));

/**
 * Gives an alias' mailboxes every state: jonas@example.org awaits confirmation, or is suspended in `travel.26`, and
 * rasa@example.org has declined.
 */
function withOpenMailboxes(alias: AliasWire): AliasWire {
  if (alias.alias === "travel.26") return { ...alias, suspended: ["jonas@example.org"] };
  const unconfirmed = (alias.forwardTo ?? "")
    .split(", ")
    .flatMap<{ address: string; state: "asked" | "refused" }>((address) => {
      if (address === "jonas@example.org") return [{ address, state: "asked" }];
      return address === "rasa@example.org" ? [{ address, state: "refused" }] : [];
    });
  return { ...alias, unconfirmed };
}

const labels: readonly LabelWire[] = [
  { id: "00000000-0000-4000-8000-0000000000a1", name: "Bank", colour: "blue" },
  { id: "00000000-0000-4000-8000-0000000000a2", name: "Newsletters that I hardly ever read", colour: "olive" },
  { id: "00000000-0000-4000-8000-0000000000a3", name: "Shops", colour: "teal" },
  { id: "00000000-0000-4000-8000-0000000000a4", name: "Unused", colour: "red" },
];

/** Labels (by index) and pins of the persona `some`'s aliases, by alias name. */
const order: Record<string, { labels: number[]; pinned?: true }> = {
  "bank.lt": { labels: [0] },
  "shop.k7": { labels: [2], pinned: true },
  "news.7h2": { labels: [1, 2] },
  rent: { labels: [0], pinned: true },
};

function withOrder(alias: AliasWire): AliasWire {
  const { labels: indexes = [], pinned = false } = order[alias.alias] ?? {};
  return { ...alias, pinned, labels: indexes.flatMap((index) => labels[index]?.id ?? []) };
}

/** A screen of the dashboard whose aliases have labels and pins. */
export const ordered = (name: string, open: Screen["open"] = async () => {}): Screen => ({
  name: `dashboard-${name}`,
  as: "some",
  async open(visit) {
    const { page, context } = visit;
    await context.route("**/api/aliases/*", async (route) => {
      if (route.request().method() !== "GET") return route.fallback();
      const response = await route.fetch();
      const { aliases } = (await response.json()) as { aliases: AliasWire[] };
      await route.fulfill({ response, json: { aliases: aliases.map(withOrder) } });
    });
    await context.route("**/api/labels", (route) => route.fulfill({ json: { labels } }));
    await page.goto("/dashboard");
    await page.getByRole("row").getByText("Shops", { exact: true }).first().waitFor();
    await open(visit);
  },
});

/**
 * A screen reached by one step from the screen before it in the list, after `leave` has closed what that screen opened.
 */
function orderedStep(
  name: string,
  step: Screen["open"],
  { before = async () => {}, leave = async () => {} }: { before?: Screen["open"]; leave?: Screen["open"] } = {},
): Screen {
  const inTurn =
    (...steps: Screen["open"][]): Screen["open"] =>
    async (visit) => {
      for (const one of steps) await one(visit);
    };
  return { ...ordered(name, inTurn(before, step)), goOn: inTurn(leave, step) };
}

const selectThree = async ({ page }: Visit): Promise<void> => {
  for (const name of ["shop.k7@kauke.test", "forum.q4@rukas.test", "rent@vejas.test"])
    await page.getByRole("checkbox", { name: `Select ${name}` }).click();
  await page.getByRole("group", { name: "Selected aliases" }).getByText("3 selected").waitFor();
};

const pressBulk =
  (button: string): Screen["open"] =>
  async ({ page }) => {
    await page
      .getByRole("group", { name: "Selected aliases" })
      .getByRole("button", { name: button, exact: true })
      .click();
    await page.getByRole("dialog").waitFor();
  };

const orderScreens: readonly Screen[] = [
  ordered("labels"),
  overlaid(
    ordered("more-labels", async ({ page }) => {
      const more = page.getByRole("button", { name: /more$/ });
      if (await more.isVisible()) await more.click();
    }),
  ),
  orderedStep("selected", async (visit) => {
    await selectThree(visit);
    await leaveRows(visit);
  }),
  overlaid(orderedStep("bulk-label", pressBulk("Label"), { before: selectThree })),
  overlaid(
    orderedStep(
      "bulk-destinations",
      async (visit) => {
        await pressBulk("Forward to")(visit);
        await visit.page.getByRole("dialog").getByLabel("Forward to").fill("nobody");
        await visit.page.keyboard.press("Enter");
        await visit.page.getByRole("dialog").getByRole("alert").waitFor();
      },
      { before: selectThree, leave: closeDialog },
    ),
  ),
  overlaid(
    orderedStep(
      "manage-labels",
      async ({ page }) => {
        await page.getByRole("button", { name: "Manage labels" }).click();
        await page.getByRole("button", { name: "Edit label Shops" }).click();
      },
      { leave: closeDialog },
    ),
  ),
  overlaid(
    orderedStep(
      "delete-label",
      async ({ page }) => {
        await page.getByRole("button", { name: "Delete label Bank" }).click();
      },
      { before: ({ page }) => page.getByRole("button", { name: "Manage labels" }).click() },
    ),
  ),
  onlyLong(
    ordered("label-empty", async ({ page }) => {
      const more = page.getByRole("button", { name: /more$/ });
      if (await more.isVisible()) await more.click();
      await page.getByRole("button", { name: /^Unused/ }).click();
      await page.getByText("No alias has this label").waitFor();
    }),
  ),
  onlyLong(
    overlaid(
      ordered("bulk-remove-label", async (visit) => {
        await selectThree(visit);
        await pressBulk("Remove label")(visit);
      }),
    ),
  ),
  onlyLong(
    overlaid(
      ordered("undo", async (visit) => {
        const { page } = visit;
        const act = (name: string) =>
          page.getByRole("group", { name: "Selected aliases" }).getByRole("button", { name, exact: true }).click();
        await selectThree(visit);
        await act("Pause");
        await seeUndo(page, "Aliases Paused");
        await act("Activate");
        await seeUndo(page, "Aliases Activated");
        // The row stays as long as its button has the focus.
        await undoRows(page).first().getByRole("button", { name: "Undo" }).focus();
      }),
    ),
  ),
];

export const dashboardScreens: readonly Screen[] = [
  dashboardOf("empty", "empty"),
  dashboardOf("full", "full"),
  dashboardOf("full", "dense", async ({ page }) => {
    await page.getByRole("combobox", { name: "Aliases per page" }).selectOption("50");
    await page.getByRole("switch").nth(40).waitFor();
  }),
  overlaid(
    dashboardOf("full", "keys", async ({ page }) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
    }),
  ),
  overlaid(
    dashboardOf("full", "bulk-delete", async ({ page }) => {
      await page
        .getByRole("checkbox", { name: /^Select .+@/ })
        .first()
        .click();
      const more = page.getByRole("button", { name: "More", exact: true });
      if (await more.isVisible()) await more.click();
      await page.getByRole("button", { name: /^Select all .* that match/ }).click();
      await page.getByRole("group", { name: "Selected aliases" }).getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete Aliases" }).waitFor();
    }),
  ),
  onlyLong(dashboardOf("paused", "paused")),
  dashboardOf("some", "some"),
  overlaid(
    step("deleting-account", async ({ page }) => {
      await page.getByRole("button", { name: "Delete Account" }).click();
      await page.getByRole("dialog").getByLabel("Type DELETE to confirm").fill("DELETE");
    }),
  ),
  step(
    "no-match",
    async ({ page }) => {
      await page.getByRole("searchbox").fill("nothing like this");
      await page.getByRole("button", { name: "Clear search" }).waitFor();
    },
    closeDialog,
  ),
  step(
    "create-refused",
    async ({ page }) => {
      await setDestinations(page, "nobody");
      await fillCreate(page, { alias: "two words" });
      await createForm(page).getByRole("alert").first().waitFor();
    },
    ({ page }) => page.getByRole("button", { name: "Clear search" }).click(),
  ),
  onlyLong(
    overlaid(
      step("reserved-toast", async (visit) => {
        await fillCreate(visit.page, { alias: "admin", forwardTo: "jonas@example.org" });
        await holdToast(visit);
      }),
    ),
  ),
  onlyLong(
    overlaid(
      step(
        "copied-toast",
        async (visit) => {
          await visit.context.grantPermissions(["clipboard-read", "clipboard-write"]);
          await visit.page
            .getByRole("button", { name: /^Copy / })
            .first()
            .click();
          await holdToast(visit);
        },
        closeToast,
      ),
    ),
  ),
  dashboardOf("some", "editing", async ({ page }) => {
    // On a phone the panel has the fields.
    await page.getByRole("link", { name: "news.7h2@kauke.test" }).focus();
    await page.keyboard.press("e");
    await page.getByRole("textbox", { name: "Forward to", exact: true }).last().fill("nobody");
    await page.keyboard.press("Enter");
    await page
      .getByRole("alert")
      .getByText(/^Please enter valid/)
      .waitFor();
  }),
  overlaid(
    step("renaming", async ({ page }) => {
      if ((await page.getByRole("button", { name: "Rename", exact: false }).count()) === 0)
        await page.getByRole("link", { name: "shop.k7@kauke.test" }).click();
      await page
        .getByRole("button", { name: /^Rename/ })
        .first()
        .click();
      await page.getByRole("dialog").getByLabel("Alias name").fill("two words");
      await page.getByRole("dialog").getByRole("button", { name: "Rename Alias" }).click();
      await page.getByRole("dialog").getByRole("alert").waitFor();
    }),
  ),
  {
    ...dashboardOf("some", "tooltip", async ({ page }) => {
      await hoverAtRest(page.getByRole("row").getByText("…").first());
      await page.getByRole("tooltip").waitFor();
    }),
    overlay: true,
    // On a wide window only, since touch screens have no hover.
    width: widths.desktop,
    // A tooltip is in no landmark; its text belongs to the element it describes.
    tolerated: ["region"],
  },
  {
    name: "dashboard-notices",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/notices", (route) => route.fulfill({ json: { notices } }));
      await page.goto("/dashboard");
      await page.getByRole("region", { name: "Notices" }).getByRole("listitem").first().waitFor();
      await page.getByRole("switch").first().waitFor();
    },
  },
  {
    name: "dashboard-mailboxes",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/aliases/*", async (route) => {
        const response = await route.fetch();
        const { aliases } = (await response.json()) as { aliases: AliasWire[] };
        await route.fulfill({ response, json: { aliases: aliases.map(withOpenMailboxes) } });
      });
      await page.goto("/dashboard");
      await page.getByRole("row").getByText("suspended", { exact: false }).first().waitFor();
      await page.getByRole("row").getByText("not confirmed", { exact: false }).first().waitFor();
    },
  },
  {
    name: "dashboard-session-ended",
    as: "some",
    async open({ page, context, expectRefusal }) {
      expectRefusal(401, /^\/api\/aliases\/[\w-]+$/);
      const json = { message: "Please sign in first.", code: "not_signed_in" };
      await context.route("**/api/aliases/*", (route) => route.fulfill({ status: 401, json }));
      await page.goto("/dashboard");
      await seeSessionOver(page);
    },
  },
  onlyLong({
    name: "dashboard-loading",
    as: "some",
    async open({ page, context }) {
      await context.route("**/api/aliases/*", () => {});
      await page.goto("/dashboard");
      await page.getByRole("region", { name: "Aliases" }).getByRole("status").waitFor();
    },
  }),
  onlyLong({
    name: "dashboard-failed",
    as: "some",
    async open({ page, context, expectFailure }) {
      expectFailure(/^\/api\/aliases\/[\w-]+$/);
      expectFailure("/api/domains");
      await context.route(/\/api\/(?:aliases\/|domains)/, (route) => route.abort("connectionrefused"));
      await page.goto("/dashboard");
      await page.getByText("Your aliases could not be loaded").waitFor();
      await page.getByText("The domains could not be loaded").waitFor();
    },
  }),
  ...orderScreens,
  {
    ...dashboardOf("some", "menu", async ({ page }) => {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("navigation", { name: "Menu" }).waitFor();
    }),
    width: widths.phone,
    overlay: true,
  },
  dashboardOf("some", "smtp-none", async (visit) => {
    await openPanel(visit, "shop.k7@kauke.test");
    await visit.page.getByRole("button", { name: "Generate credentials" }).waitFor();
    await leaveRows(visit);
  }),
  step("smtp-hidden", async (visit) => {
    await openPanel(visit, "ci.alerts@tyla.test");
    await seeHidden(visit);
    await leaveRows(visit);
  }),
  {
    ...dashboardOf("some", "smtp-revealed", async (visit) => {
      await openPanel(visit, "ci.alerts@tyla.test");
      await seeHidden(visit);
      await reveal(visit);
      await leaveRows(visit);
    }),
    async goOn(visit) {
      await reveal(visit);
      await leaveRows(visit);
    },
  },
];
