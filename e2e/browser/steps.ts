/** Steps that many journeys share, as a person takes them in the browser. */
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { freeAddress } from "./free-address.ts";
import { seeGone, seeHeading, seePath, seeToast, seeUndo } from "./see.ts";

export const password = "correct horse battery";

export interface RegisterInput {
  email: string;
  password?: string;
  /** Content of the second password field; the same as the first by default. */
  confirm?: string;
}

/**
 * Fills the field and checks that it contains the text. The text is typed into the focused element, and a form that was
 * just refused moves the focus to its first invalid field in a later task, which on a slow machine may run in between.
 */
export async function fillIn(field: Locator, text: string): Promise<void> {
  const filled = async () => {
    await field.fill(text);
    return field.inputValue();
  };
  await expect.poll(filled).toBe(text);
}

/** Presses Enter on a button: a key does not reach one that is disabled until its list is loaded, as a click would. */
export async function pressEnter(button: Locator): Promise<void> {
  const isReady = async () => {
    if (!(await button.isEnabled())) return false;
    await button.focus();
    return button.evaluate((element) => element === element.ownerDocument.activeElement);
  };
  await expect.poll(isReady).toBe(true);
  await button.page().keyboard.press("Enter");
}

export async function fillRegister(page: Page, input: RegisterInput): Promise<void> {
  const chosen = input.password ?? password;
  await freeAddress(new URL(page.url()).origin, { email: input.email, password: chosen });
  await page.getByLabel("Email").fill(input.email);
  await page.getByLabel(/^Password/).fill(chosen);
  await page.getByLabel("Confirm password").fill(input.confirm ?? chosen);
  await page.getByRole("button", { name: "Create Account" }).click();
}

/** Registers from the landing page and waits for the dashboard. */
export async function registerOnPage(page: Page, email: string): Promise<void> {
  await page.goto("/home");
  await page.getByRole("main").getByRole("link", { name: "Sign up with email" }).click();
  await fillRegister(page, { email });
  await seePath(page, "/dashboard");
  await seeHeading(page, "Email Forwarding");
}

export async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(word);
  await page.getByRole("button", { name: "Sign In" }).click();
}

/** Chooses a group of settings; on a phone its page has a link back to the index. */
export async function settingsPart(page: Page, name: string): Promise<void> {
  const back = page.getByRole("link", { name: "All settings" });
  if (await back.isVisible()) await back.click();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name, exact: true }).click();
}

/** Presses the page's one button, unless the app repeats the failed requests by itself before. */
export async function tryAgain(page: Page): Promise<void> {
  const again = page.getByRole("button", { name: "Try again" });
  const shown = again.or(page.getByRole("button", { name: "Trying..." }));
  const press = async () => {
    if ((await shown.count()) === 0) return true;
    return again.click({ timeout: 1000 }).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(press).toBe(true);
}

/** The sign-in over a page whose session is over. */
export const sessionOver = (page: Page): Locator => page.getByRole("dialog", { name: "Authentication Required" });

/** Waits until the page asks for a sign-in, and until nothing else of it is drawn. */
export async function seeSessionOver(page: Page): Promise<void> {
  await sessionOver(page)
    .getByText(/^Your session has ended\. Sign in or connect a wallet/)
    .waitFor();
  expect(await page.locator(".shell").isVisible()).toBe(false);
}

/** Signs in over the page. The e-mail is filled in with that of the session that is over. */
export async function resumeSession(page: Page, email: string, word = password): Promise<void> {
  await seeSessionOver(page);
  const dialog = sessionOver(page);
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Password").fill(word);
  await dialog.getByRole("button", { name: "Sign In" }).click();
  await seeGone(dialog);
}

export interface AliasInput {
  alias?: string;
  domain?: string;
  forwardTo?: string;
  notes?: string;
}

export const createForm = (page: Page): Locator => page.getByRole("form", { name: "Create alias" });
export const forwardField = (page: Page): Locator => createForm(page).getByLabel("Forward to");

/** Destinations in the create form: its tokens, and what is being typed after them. */
export async function destinationsIn(page: Page): Promise<string> {
  const tokens = await createForm(page)
    .getByRole("list", { name: "Destinations" })
    .getByRole("listitem")
    .allInnerTexts();
  const typed = await forwardField(page).inputValue();
  return [...tokens.map((token) => token.trim()), typed].filter((entry) => entry !== "").join(", ");
}

/** Removes the create form's tokens and types a text in their place. */
export async function setDestinations(page: Page, text: string): Promise<void> {
  const field = forwardField(page);
  await field.focus();
  const remove = createForm(page).getByRole("button", { name: /^Remove / });
  while ((await remove.count()) > 0) await remove.last().click();
  await field.fill(text);
}

/** Fills the given fields and presses the button; the result is left to the caller to check. */
export async function fillCreate(page: Page, { alias, domain, forwardTo, notes }: AliasInput): Promise<void> {
  const form = createForm(page);
  if (alias !== undefined) await form.getByLabel("Alias name and domain").fill(alias);
  if (domain !== undefined) await form.getByLabel("Domain", { exact: true }).selectOption(domain);
  if (forwardTo !== undefined) await setDestinations(page, forwardTo);
  if (notes !== undefined) await form.getByLabel(/^Notes/).fill(notes);
  await form.getByRole("button", { name: "Create Alias" }).click();
}

export async function createAliasOnPage(
  page: Page,
  input: AliasInput & { alias: string; domain: string },
): Promise<void> {
  await fillCreate(page, input);
  await seeToast(page, "Alias Created");
  await aliasRow(page, `${input.alias}@${input.domain}`).waitFor();
}

export function aliasRow(page: Page, address: string): Locator {
  return page.getByRole("row").filter({ has: page.getByRole("switch", { name: `${address} forwards mail` }) });
}

export const aliasSwitch = (page: Page, address: string): Locator =>
  page.getByRole("switch", { name: `${address} forwards mail` });

/** Opens an alias' panel at its part about sending; a phone's row has no button for it. */
export async function openSmtp(page: Page, address: string): Promise<void> {
  const button = page.getByRole("button", { name: `SMTP settings of ${address}` });
  const isOpen = new URL(page.url()).searchParams.has("alias");
  if (!isOpen) {
    await aliasRow(page, address).waitFor();
    if (await button.isVisible()) return button.click();
    await page.getByRole("link", { name: address }).click();
  }
  await page.getByRole("button", { name: /^Send from this alias/ }).click();
}

/** Pauses or activates an alias by its switch and waits for the server's response. */
export async function toggleAlias(page: Page, address: string, to: "on" | "off"): Promise<void> {
  await aliasSwitch(page, address).click();
  await seeUndo(page, to === "on" ? "Alias Activated" : "Alias Paused");
}

export async function dismissToast(page: Page): Promise<void> {
  const dismiss = page.getByRole("button", { name: "Dismiss", exact: true });
  await dismiss.click();
  await seeGone(dismiss);
}

/** The addresses in the table's rows, from the top, e.g. `shop@kauke.test`. */
export async function listedAddresses(page: Page): Promise<string[]> {
  const labels: string[] = await page
    .getByRole("switch")
    .evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel ?? ""));
  return labels.map((label) => label.replace(/ forwards mail$/, ""));
}
