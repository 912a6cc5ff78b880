/** Screens of a server with a forwarding provider: the states of its aliases, and what needs our own engine. */
import { type AliasWire, type ForwardingWire, forwardingMeta, type UnfinishedAliasWire } from "@kauke/contract";
import { engineNeededText } from "@kauke/contract/provider-problems";
import type { Visit } from "../browser/browser.ts";
import { onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const provider = { name: "Forward Email", smtpHost: "smtp.forwardemail.net" };
const meta = `<meta name="${forwardingMeta}" content="${provider.name}" data-smtp-host="${provider.smtpHost}">`;

const keyId = "00000000-0000-4000-8000-0000000000b1";

type State = Omit<UnfinishedAliasWire, "aliasId">;
const none = { problem: null, held: null, nextTryAt: null };
const waiting: State = { ...none, state: "waiting" };
const failed = (problem: State["problem"]): State => ({
  ...none,
  state: "failed",
  problem,
  nextTryAt: new Date(Date.now() + 600_000).toISOString(),
});
const held = (reason: State["held"]): State => ({ ...none, state: "held", held: reason });

/** In the order of the list; further aliases are set up. */
const states: readonly State[] = [
  waiting,
  failed("unreachable"),
  held("encrypted"),
  held("unconfirmed"),
  waiting,
  failed("conflict"),
];

/** As pages of a server with a provider are; the aliases have the states of the list, from the newest on. */
async function withProvider({ context }: Visit, counts = { waiting: 2, failed: 2, held: 2 }): Promise<void> {
  let aliases: AliasWire[] = [];
  await context.route(
    (url) => !url.pathname.startsWith("/api/") && !url.pathname.includes("."),
    async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace("</head>", `${meta}</head>`);
      await route.fulfill({ response, body });
    },
  );
  await context.route("**/api/aliases/*", async (route) => {
    const response = await route.fetch();
    ({ aliases } = (await response.json()) as { aliases: AliasWire[] });
    aliases = aliases.map((alias, place) => ({
      ...alias,
      ...(states[place]?.held === "encrypted" ? { sealTo: keyId } : {}),
      ...(states[place]?.held === "unconfirmed"
        ? { unconfirmed: [{ address: alias.forwardTo?.split(", ")[0] ?? "", state: "asked" as const }] }
        : {}),
    }));
    await route.fulfill({ response, json: { aliases } });
  });
  const key = {
    id: keyId,
    keyName: "Laptop",
    publicKey: "age1example",
    createdAt: "2026-11-21T10:00:00.000Z",
    isDefault: true,
  };
  await context.route("**/api/encryption-keys", (route) => route.fulfill({ json: { keys: [key] } }));
  await context.route("**/api/forwarding", (route) => {
    const unfinished = aliases.flatMap(({ id }, place) => {
      const state = states[place];
      return state === undefined ? [] : [{ aliasId: id, ...state }];
    });
    const json: ForwardingWire = { provider, counts, unfinished };
    return route.fulfill({ json });
  });
}

async function goToList(visit: Visit, counts?: ForwardingWire["counts"]): Promise<void> {
  await withProvider(visit, counts);
  await visit.page.goto("/dashboard");
  await visit.page.getByText("Being set up at Forward Email").first().waitFor();
}

/** The panel beside the list, or over it. */
const panel = ({ page }: Visit) => page.locator(".panel, .sheet");

async function openPanelOf(visit: Visit, place: number): Promise<void> {
  await goToList(visit);
  await visit.page.locator("tbody .addr a").nth(place).click();
  await panel(visit).getByRole("button", { name: "Delete Alias" }).waitFor();
}

const screen = (name: string, open: Screen["open"]): Screen => ({ name: `provider-${name}`, as: "some", open });

export const forwardingScreens: readonly Screen[] = [
  screen("list", (visit) => goToList(visit)),
  screen("many", async (visit) => {
    await goToList(visit, { waiting: 4210, failed: 12, held: 2 });
    await visit.page.getByText(/^4,210 aliases are being set up/).waitFor();
  }),
  onlyLong(overlaid(screen("panel-waiting", (visit) => openPanelOf(visit, 0)))),
  overlaid(screen("panel-failed", (visit) => openPanelOf(visit, 1))),
  overlaid(screen("panel-held", (visit) => openPanelOf(visit, 2))),
  overlaid(
    screen("panel-end", async (visit) => {
      await openPanelOf(visit, 5);
      await panel(visit).getByRole("button", { name: "Webhook signature" }).click();
      await panel(visit).getByRole("button", { name: "Write to somebody new" }).click();
      const needed = panel(visit).getByText(engineNeededText(provider.name));
      await needed.nth(1).waitFor();
      await needed.last().evaluate((node) => node.scrollIntoView());
    }),
  ),
  screen("settings", async (visit) => {
    await withProvider(visit);
    await visit.page.goto("/settings/mail");
    await visit.page.getByRole("switch", { name: "Leak guard" }).waitFor();
    await visit.page.getByText(engineNeededText(provider.name)).first().waitFor();
  }),
];
