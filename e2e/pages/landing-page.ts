/** The elements of the landing page, and that page with a manual clock. */
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";

export const headline = "One click, new identity. Your inbox stays safe.";
const main = (page: Page): Locator => page.getByRole("main");
export const signUp = (page: Page) => main(page).getByRole("link", { name: "Sign up with email", exact: true });
export const getStarted = (page: Page) => main(page).getByRole("link", { name: "Get Started Free", exact: true });
export const toDashboard = (page: Page) => main(page).getByRole("link", { name: "Go to Dashboard", exact: true });
export const loading = (page: Page) => main(page).getByRole("button", { name: "Loading...", exact: true });
export const federated = (page: Page) => main(page).getByRole("link", { name: "Continue with Gmail" });
export const pauseButton = (page: Page) => page.getByRole("button", { name: "Pause moving content" });

/** Opens the landing page with a manual clock and a given list of domains. */
export async function openAtRest(visit: Visit, domains?: readonly string[]): Promise<Page> {
  const { page } = visit;
  if (domains !== undefined)
    await visit.context.route("**/api/domains", (route) => route.fulfill({ json: { domains } }));
  await page.clock.install({ time: new Date("2026-11-21T10:00:00") });
  const answered = page.waitForResponse("**/api/domains");
  await page.goto("/home");
  await (await answered).finished();
  await signUp(page).waitFor();
  await page.clock.pauseAt(new Date("2026-11-21T10:30:00"));
  return page;
}

/** Advances the page's clock and waits until the result is rendered. */
export async function run(page: Page, ms: number): Promise<void> {
  await page.clock.runFor(ms);
  await page.evaluate(drawn);
}

/** Resolves two tasks later, since the app renders in a task of its own. */
const drawn = `new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  let left = 2;
  port1.onmessage = () => (left-- > 0 ? port2.postMessage(0) : done());
  port2.postMessage(0);
})`;

export const heroDomain = (page: Page): Promise<string> =>
  page.evaluate('document.querySelector(".hero-addr .dom").textContent') as Promise<string>;
export const heroOpacity = (page: Page): Promise<string> =>
  page.evaluate('document.querySelector(".hero-addr .turning").className') as Promise<string>;
