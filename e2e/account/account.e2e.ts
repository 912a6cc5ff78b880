/** The life of an account: registering, signing in and out, staying signed in, deleting it. */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { seeRequestsDone } from "../browser/requests-done.ts";
import { seeFieldError, seeFocus, seeGone, seeHeading, seePath, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { fillRegister, password, registerOnPage, seeSessionOver, setDestinations, signIn } from "../browser/steps.ts";

const site = runSite();
const createAccount = (page: Page) => page.getByRole("button", { name: "Create Account" });

async function storedKeys(page: Page): Promise<string[]> {
  const keys = await page.evaluate("Object.keys(localStorage)");
  return (keys as string[]).filter((key) => key !== "theme").sort();
}

test("an empty registration form names the invalid fields and sends no request", async () => {
  const { page } = await site.visit();
  let asked = 0;
  await page.route("**/api/auth/register", (route) => {
    asked++;
    return route.continue();
  });
  await page.goto("/register");
  await createAccount(page).click();
  await seeFieldError(page.getByLabel("Email"), "Valid email address is required");
  await seeFieldError(page.getByLabel(/^Password/), "Password must be at least 8 characters");
  await seeToast(page, "Password Too Short", "Password must be at least 8 characters");
  await seeFocus(page.getByLabel("Email"));
  expect(asked).toBe(0);
});

test("two different passwords are reported as a mismatch", async () => {
  const { page } = await site.visit();
  await page.goto("/register");
  await fillRegister(page, { email: "ona@people.example", confirm: "correct horse batters" });
  await seeFieldError(page.getByLabel("Confirm password"), "Passwords do not match");
  await seeToast(page, "Password Mismatch", "Passwords do not match");
  await seePath(page, "/register");
});

test.runIf(isLongRun)("a password of seven characters is too short, one of eight is not", async () => {
  const { page } = await site.visit();
  await page.goto("/register");
  await fillRegister(page, { email: "jurga@people.example", password: "7 chars" });
  await seeFieldError(page.getByLabel(/^Password/), "Password must be at least 8 characters");
  await seeToast(page, "Password Too Short", "Password must be at least 8 characters");
  await fillRegister(page, { email: "jurga@people.example", password: "8 chars!" });
  await seePath(page, "/dashboard");
});

test.runIf(isLongRun)(
  "text that is not an e-mail address is refused, and the field says that it needs one",
  async () => {
    const { page } = await site.visit();
    await page.goto("/register");
    expect(await page.getByLabel("Email").getAttribute("type")).toBe("email");
    await fillRegister(page, { email: "no-address" });
    await seeFieldError(page.getByLabel("Email"), "Valid email address is required");
  },
);

test("an e-mail address that has an account can't register again, in whatever case", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit();
  expectRefusal(409, "/api/auth/register");
  await page.goto("/register");
  await fillRegister(page, { email: person.email.toUpperCase() });
  await seeToast(page, "Registration Failed", /already exists/);
  await seePath(page, "/register");
});

test("a sign-up button leads to the form that makes an account, which a reload keeps; the same page has the other one", async () => {
  const { page } = await site.visit();
  for (const name of ["Sign up with email", "Get Started Free"]) {
    await page.goto("/home");
    await page.getByRole("main").getByRole("link", { name }).click();
    await seeHeading(page, "Create your account");
    await seePath(page, "/auth");
    await page.reload();
    await seeHeading(page, "Create your account");
    await page.getByRole("main").getByRole("link", { name: "Sign in", exact: true }).click();
    await seeHeading(page, "Welcome Back");
    await seePath(page, "/auth");
    await page.goBack();
    await seeHeading(page, "Create your account");
  }
});

test("registering leads to the dashboard, signed in, and the session survives a reload", async () => {
  const { page } = await site.visit();
  await registerOnPage(page, "ruta@people.example");
  await page.getByRole("banner").getByText("ruta", { exact: true }).waitFor();
  expect(await storedKeys(page)).toEqual(["authMethod", "user"]);
  await page.reload();
  await seeHeading(page, "Email Forwarding");
  const stored = JSON.parse((await page.evaluate("localStorage.user")) as string) as Record<string, unknown>;
  expect(stored).toEqual({
    email: "ruta@people.example",
    walletAddress: null,
    authMethod: "email",
    balance: expect.any(String),
  });
});

test("signing in needs a password, the right one, and a known e-mail address; both failures have the same text", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit();
  expectRefusal(401, "/api/auth/login");
  await page.goto("/auth");
  await seeHeading(page, "Welcome Back");
  await signIn(page, person.email, "");
  await seeFieldError(page.getByLabel("Password"), "Password is required");
  await signIn(page, person.email, "wrong horse battery");
  await seeToast(page, "Login Failed", "Invalid email or password");
  await page.getByRole("button", { name: "Dismiss", exact: true }).click();
  await seeGone(page.getByText("Login Failed", { exact: true }));
  for (const name of ["Email", "Password"]) await seeFieldError(page.getByLabel(name), "Invalid email or password");
  await signIn(page, "nobody@people.example");
  await seeToast(page, "Login Failed", "Invalid email or password");
  await signIn(page, person.email, person.password);
  await seePath(page, "/dashboard");
});

test.each([
  ["/auth", "Sign In"],
  ["/register", "Create Account"],
])("%s: text typed before the page's scripts run is kept, and none of it gets into the URL", async (path, name) => {
  const person = await site.person();
  const { page, context } = await site.visit();
  const scripts = Promise.withResolvers<void>();
  await context.route("**/assets/*.js", (route) => scripts.promise.then(() => route.continue()));
  await page.goto(path, { waitUntil: "commit" });
  const fields = page.getByLabel(/^(?:Email|(?:Confirm )?password)/i);
  const submit = page.getByRole("button", { name, exact: true });
  await submit.waitFor();
  const typed = [path === "/auth" ? person.email : "early@people.example", person.password, person.password];
  for (const [at, field] of (await fields.all()).entries()) await field.fill(typed[at] as string);
  await page.keyboard.press("Enter");
  await submit.click({ force: true });
  expect(await page.evaluate("[location.pathname, location.search]")).toEqual([path, ""]);
  scripts.resolve();
  await submit.click();
  await seePath(page, "/dashboard");
});

test("signing out shows a message, leads to the landing page and ends the session at the server too", async () => {
  const person = await site.person();
  const { page } = await site.visit({ as: person });
  await page.goto("/dashboard");
  await seeWholeDashboard(page);
  await page.getByRole("button", { name: "Log out" }).click();
  await seeToast(page, "Logged Out", "Successfully logged out");
  await seePath(page, "/home");
  await page.getByRole("banner").getByRole("link", { name: "SIGN IN" }).waitFor();
  expect(await storedKeys(page)).toEqual([]);
  expect((await person.call("GET", "/api/auth/session")).status).toBe(401);
  await page.goto("/dashboard");
  await seeHeading(page, "Welcome Back");
});

test.runIf(isLongRun)("signing out works when the server can't be reached", async () => {
  const { page, context, expectFailure } = await site.visit({ as: await site.person() });
  expectFailure("/api/auth/logout");
  await page.goto("/dashboard");
  await context.route("**/api/auth/logout", (route) => route.abort("connectionrefused"));
  await page.getByRole("button", { name: "Log out" }).click();
  await seeToast(page, "Logged Out", "Successfully logged out");
  await seePath(page, "/home");
  expect(await storedKeys(page)).toEqual([]);
});

test.runIf(isLongRun)(
  "signing out clears the page at once and waits two seconds for the server, which never answers",
  async () => {
    const { page, context } = await site.visit({ as: await site.person() });
    await page.goto("/decrypt");
    await context.route("**/api/auth/logout", () => {});
    await page.getByRole("tab", { name: "Manual Decrypt" }).click();
    await page.getByLabel("Private Key").fill("AGE-SECRET-KEY-TYPED");
    // One script clicks and checks 300 ms later, so that a slow test does not give the page more time.
    const left = await page.evaluate(`(async () => {
    document.querySelector("[aria-label='Log out']").click();
    await new Promise((done) => setTimeout(done, 300));
    return location.pathname + [...document.querySelectorAll("textarea")].map((it) => it.value);
  })()`);
    expect(left).toBe("/home");
    expect(await storedKeys(page)).toEqual([]);
    await seeToast(page, "Logged Out", "Successfully logged out");
  },
);

test("a late response to signing out does not end a session started meanwhile", async () => {
  const { page, context } = await site.visit({ as: await site.person() });
  const again = await site.person();
  await page.goto("/dashboard");
  await seeWholeDashboard(page);
  const held = Promise.withResolvers<void>();
  await context.route("**/api/auth/logout", async (route) => {
    const response = await route.fetch();
    await held.promise;
    // The late response to the logout would delete the session cookie; the page has aborted the request by now.
    await route.fulfill({ response }).catch(() => {});
  });
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByRole("banner").getByRole("link", { name: "SIGN IN" }).click();
  await signIn(page, again.email, again.password);
  await seeHeading(page, "Email Forwarding");
  held.resolve();
  await page.reload();
  await seeHeading(page, "Email Forwarding");
});

/** The form and the first steps are loaded after the list; a request in flight at a sign-out would be refused. */
async function seeWholeDashboard(page: Page): Promise<void> {
  await page.getByRole("form", { name: "Create alias" }).waitFor();
  await page.getByRole("heading", { name: "Get started" }).waitFor();
  await seeRequestsDone(page);
}

test("a session that was ended elsewhere is noticed on the open dashboard at the next request", async () => {
  const person = await site.person();
  const { page, expectRefusal } = await site.visit({ as: person });
  expectRefusal(401, `/api/aliases/${person.user.id}`);
  await page.goto("/dashboard");
  await seeWholeDashboard(page);
  await person.call("POST", "/api/auth/logout");
  const form = page.getByRole("form", { name: "Create alias" });
  await form.getByLabel("Alias name and domain").fill("late");
  await setDestinations(page, "late@inbox.example");
  await form.getByRole("button", { name: "Create Alias" }).click();
  await seeSessionOver(page);
});

test("a session survives a restart of the server", async () => {
  const person = await site.person();
  const { page } = await site.visit({ as: person });
  await page.goto("/dashboard");
  await seeHeading(page, "Email Forwarding");
  // What the page loads meanwhile fails, and nobody sees it after the reload.
  await site.restart();
  await page.reload();
  await seeHeading(page, "Email Forwarding");
  await page
    .getByRole("banner")
    .getByText(person.email.split("@")[0] as string, { exact: true })
    .waitFor();
});

test("an account is deleted only after DELETE is typed; two seconds later it is gone and the e-mail address can register again", async () => {
  const email = "tomas@people.example";
  const person = await site.person(email);
  const { page, expectRefusal } = await site.visit({ as: person });
  expectRefusal(401, "/api/auth/login");
  await page.clock.install();
  await page.goto("/dashboard");
  const card = page.getByRole("button", { name: "Delete Account" });
  await card.click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  const confirm = dialog.getByRole("button", { name: "Delete Account" });
  const typed = dialog.getByLabel("Type DELETE to confirm");
  for (const word of ["", "DELET", "DELETED"]) {
    await typed.fill(word);
    await expect.poll(() => confirm.isDisabled()).toBe(true);
  }
  await page.keyboard.press("Escape");
  await seeGone(dialog);
  expect((await person.call("GET", "/api/auth/session")).status).toBe(200);

  await card.click();
  await typed.fill("delete");
  await seeRequestsDone(page);
  await confirm.click();
  await seeToast(page, "Account Deleted");
  await page.clock.fastForward(2000);
  await seePath(page, "/");
  await page.getByRole("banner").getByRole("link", { name: "SIGN IN" }).waitFor();
  expect(await storedKeys(page)).toEqual([]);

  await page.goto("/auth");
  await signIn(page, email, person.password);
  await seeToast(page, "Login Failed", "Invalid email or password");
  await page.goto("/register");
  await fillRegister(page, { email, password });
  await seePath(page, "/dashboard");
});
