/** Messages in rare cases, in which the browser or the server refuses something. */
import { generateKeyPair } from "@kauke/age";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { expect, test } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { fillRegister, password, signIn } from "../browser/steps.ts";
import { encryptedText } from "../keys/encrypted-texts.ts";

const site = runSite();

/** Removes the clipboard API, as on a page over plain http of another machine, and the older command too. */
async function withoutClipboard({ context }: Visit): Promise<void> {
  await context.addInitScript(
    `Object.defineProperty(navigator, "clipboard", { value: undefined }); document.execCommand = () => false`,
  );
}

test("a message says that an address can't be copied", async () => {
  const person = await site.person();
  await person.createAlias({ alias: "no-clipboard", domain: "kauke.test", forwardTo: "ona@inbox.example" });
  const visit = await site.visit({ as: person });
  await withoutClipboard(visit);
  await visit.page.goto("/dashboard");
  await visit.page.getByRole("button", { name: "Copy no-clipboard@kauke.test" }).click();
  const toast = await seeToast(visit.page, "Copy failed", "Unable to copy to clipboard");
  expect((await toast.boundingBox())?.width).toBeLessThanOrEqual(420);
});

test.runIf(isLongRun)("a message says that a decrypted text can't be copied", async () => {
  const visit = await site.visit({ as: await site.person() });
  await withoutClipboard(visit);
  const { page } = visit;
  const { publicKey, privateKey } = await generateKeyPair();
  await page.goto("/decrypt");
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
  const form = page.getByRole("form", { name: "Manual Decrypt" });
  await form.getByLabel("Private Key").fill(privateKey);
  await form.getByLabel("Encrypted Text").fill(await encryptedText("Labas", publicKey));
  await form.getByRole("button", { name: "Decrypt Message" }).click();
  await page.getByRole("region", { name: "Decrypted text" }).getByText("Labas").waitFor();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await seeToast(page, "Copy failed", "Failed to copy text to clipboard.");
});

test("a message says that an account could not be deleted, and it still exists", async () => {
  const person = await site.person();
  const { page, context, expectRefusal } = await site.visit({ as: person });
  expectRefusal(500, "/api/account");
  await context.route("**/api/account", (route) => route.fulfill({ status: 500, json: { message: "Not now." } }));
  await page.goto("/dashboard");
  await page.getByRole("button", { name: "Delete Account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete account" });
  await dialog.getByLabel("Type DELETE to confirm").fill("DELETE");
  await dialog.getByRole("button", { name: "Delete Account" }).click();
  await seeToast(page, "Deletion Failed", "Not now.");
  // The word DELETE stays in its field, for another try.
  expect(await dialog.getByRole("button", { name: "Delete Account" }).isEnabled()).toBe(true);
  expect((await person.call("GET", "/api/auth/session")).status).toBe(200);
});

test("a session check that fails is logged, and the data kept in the browser is cleared", async () => {
  const visit = await site.visit({ as: await site.person() });
  const { page, context, expectRefusal } = visit;
  await page.goto("/dashboard");
  await seeHeading(page, "Email Forwarding");
  expect(await page.evaluate("localStorage.authMethod")).toBe("email");
  expectRefusal(500, "/api/auth/session");
  await context.route("**/api/auth/session", (route) => route.fulfill({ status: 500, json: { message: "Not now." } }));
  const logged: string[] = [];
  page.on("console", (line) => logged.push(`${line.type()}: ${line.text()}`));
  await page.goto("/dashboard");
  await seeHeading(page, "Welcome Back");
  expect(await page.evaluate("[localStorage.user, localStorage.authMethod, localStorage.walletAddress]")).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(logged).toContain("warning: The session check failed.");
});

test.runIf(isLongRun)("signing in and registering have texts of their own for a response without one", async () => {
  const { page, context, expectRefusal } = await site.visit();
  expectRefusal(502, "/api/auth/login");
  expectRefusal(502, "/api/auth/register");
  await context.route(/\/api\/auth\/(?:login|register)$/, (route) =>
    route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" }),
  );
  await page.goto("/auth");
  await signIn(page, "ona@people.example");
  await seeToast(page, "Login Failed", "Login failed");
  await page.goto("/register");
  await fillRegister(page, { email: "ona@people.example", password });
  await seeToast(page, "Registration Failed", "Registration failed");
});
