/** Screens of the command palette, for the list of screens to capture. */
import type { Visit } from "../browser/browser.ts";
import { ordered } from "./dashboard-screens.ts";
import { onlyLong, overlaid } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

async function openPalette({ page }: Visit, typed = ""): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Alias or command" }).fill(typed);
}

const typing = (name: string, typed: string, seen: string): Screen => {
  const see = ({ page }: Visit) => page.getByRole("dialog").getByText(seen).first().waitFor();
  const screen = ordered(name, async (visit) => {
    await openPalette(visit, typed);
    await see(visit);
  });
  return overlaid({
    ...screen,
    async goOn(visit) {
      await visit.page.getByRole("combobox", { name: "Alias or command" }).fill(typed);
      await see(visit);
    },
  });
};

export const paletteScreens: readonly Screen[] = [
  onlyLong(
    overlaid(
      ordered("palette-code-loading", async ({ page, context }) => {
        await context.route("**/assets/CommandPalette*", () => {});
        await page.keyboard.press("ControlOrMeta+k");
        await page.getByRole("dialog").getByText("Loading...").waitFor();
      }),
    ),
  ),
  { ...typing("palette", "", "Go to Settings"), goOn: undefined },
  typing("palette-typed", "sho", "shop.k7"),
  onlyLong(typing("palette-pause", "pause ", "travel.26")),
  onlyLong(typing("palette-no-match", "activate nothing like this", "No paused alias matches")),
  onlyLong(
    overlaid({
      name: "dashboard-palette-loading",
      as: "some",
      async open(visit) {
        await visit.context.route("**/api/aliases/*", () => {});
        await visit.page.goto("/settings/mail");
        await visit.page.getByRole("heading", { name: "Settings" }).waitFor();
        await visit.page.getByRole("switch", { name: "Leak guard" }).waitFor();
        await openPalette(visit);
        await visit.page.getByText("Loading your aliases").waitFor();
      },
    }),
  ),
  onlyLong(
    overlaid({
      name: "dashboard-palette-failed",
      as: "some",
      async open(visit) {
        visit.expectFailure(/^\/api\/aliases\/[\w-]+$/);
        await visit.context.route("**/api/aliases/*", (route) => route.abort("connectionrefused"));
        await visit.page.goto("/settings/mail");
        await visit.page.getByRole("switch", { name: "Leak guard" }).waitFor();
        await openPalette(visit);
        await visit.page.getByText("Your aliases could not be loaded").waitFor();
      },
    }),
  ),
];
