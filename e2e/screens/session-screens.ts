/**
 * What may cover any page, or replace it: the warning before the session ends, feedback, no connection, a page that
 * failed.
 */
import type { Visit } from "../browser/browser.ts";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { onlyLong } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const dashboard = async ({ page }: Visit): Promise<void> => {
  await page.goto("/dashboard");
  await page.getByRole("switch").first().waitFor();
};

export const sessionScreens: readonly Screen[] = [
  {
    name: "session-timeout",
    as: "some",
    overlay: true,
    async open(visit) {
      const { page } = visit;
      await page.clock.install();
      await dashboard(visit);
      const warning = page.getByRole("dialog", { name: "Session Timeout Warning" });
      // The script that watches for inactivity may still be loading, so time is advanced until it warns.
      while ((await warning.count()) === 0) {
        await page.clock.fastForward(25 * 60_000 + 28_000);
        await warning.waitFor({ timeout: 1000 }).catch(() => {});
      }
    },
  },
  {
    name: "feedback",
    overlay: true,
    async open({ page }) {
      await page.goto("/about");
      await page.getByRole("button", { name: "Feedback", exact: true }).click();
      await page.getByRole("dialog", { name: "Feedback" }).waitFor();
    },
  },
  {
    name: "offline",
    as: "some",
    overlay: true,
    async open(visit) {
      await dashboard(visit);
      await seeRequestsDone(visit.page);
      await visit.context.setOffline(true);
      await visit.page.getByText("You are offline.", { exact: false }).waitFor();
    },
  },
  onlyLong({
    name: "unreachable",
    as: "some",
    overlay: true,
    async open({ page, context, expectFailure }) {
      expectFailure(/^\/api\/(?!auth\/)/);
      await context.route(/\/api\/(?!auth\/)/, (route) => route.abort("connectionrefused"));
      await page.goto("/dashboard");
      await page.getByText("The server can’t be reached.", { exact: false }).waitFor();
      await page.getByText("Your aliases could not be loaded").waitFor();
    },
  }),
  {
    name: "error-page",
    as: "some",
    async open({ page, context, expectError }) {
      expectError(/TypeError/);
      await context.route("**/api/encryption-keys", (route) => route.fulfill({ json: { keys: 7 } }));
      await page.goto("/settings");
      await page.getByRole("heading", { name: "Something went wrong" }).waitFor();
    },
  },
];
