/** Nothing typed is lost: each form through each way in which a page, its session or its network goes away. */
import { encryptText, generateKeyPair } from "@kauke/age";
import type { Person } from "@kauke/testkit/person";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Visit } from "../browser/browser.ts";
import { asksBeforeLeaving as asks, seeGone, seeHeading, seeLive, seePath, seeStored } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createForm, resumeSession, signIn } from "../browser/steps.ts";
import { storeReadyKey } from "../keys/encrypted-texts.ts";
import { minutes, soon, visitOf, watchIsThere } from "../sign-in/still-session.ts";

const site = runSite();

interface Form {
  path: string;
  heading: string;
  /** Makes what the form needs. */
  prepare?: (person: Person) => Promise<unknown>;
  type(page: Page, text: string): Promise<void>;
  /** Replaces what was typed. */
  change(page: Page, text: string): Promise<void>;
  /** What is in the form's field; may open the form again. */
  read(page: Page): Promise<string>;
}

const { publicKey } = await generateKeyPair();
const encrypted = new Map<string, string>();
for (const word of ["typed-first", "typed-second"])
  encrypted.set(word, await encryptText(word, { publicKeys: [publicKey] }));

const panelOf = (page: Page) => page.getByRole("region", { name: /@/ });
const newName = (page: Page) => createForm(page).getByLabel("Alias name and domain");
const subject = (page: Page) => page.getByLabel("Subject");
const notesOf = (page: Page) => page.getByRole("row").getByLabel("Notes");

const forms: Record<string, Form> = {
  "a row that is edited": {
    path: "/dashboard",
    heading: "Email Forwarding",
    prepare: (person) => person.createAlias({ forwardTo: "jonas@inbox.example" }),
    async type(page, text) {
      await page.getByRole("button", { name: /^Edit / }).click();
      await notesOf(page).pressSequentially(text);
    },
    change: (page, text) => notesOf(page).fill(text),
    read: (page) => notesOf(page).inputValue(),
  },
  "an edit in the panel": {
    path: "/dashboard",
    heading: "Email Forwarding",
    prepare: (person) => person.createAlias({ forwardTo: "jonas@inbox.example" }),
    async type(page, text) {
      await openPanel(page);
      await panelOf(page)
        .getByRole("button", { name: /^Edit notes of / })
        .click();
      await panelOf(page).getByRole("textbox", { name: "Notes" }).pressSequentially(text);
    },
    change: (page, text) => panelOf(page).getByRole("textbox", { name: "Notes" }).fill(text),
    async read(page) {
      // Without the panel's address, the edit goes on in the row.
      const inPanel = panelOf(page).getByRole("textbox", { name: "Notes" });
      await notesOf(page).or(inPanel).first().waitFor();
      return (await inPanel.isVisible()) ? inPanel.inputValue() : notesOf(page).inputValue();
    },
  },
  "the form for a new alias": {
    path: "/dashboard",
    heading: "Email Forwarding",
    type: (page, text) => newName(page).pressSequentially(text),
    change: (page, text) => newName(page).fill(text),
    read: (page) => newName(page).inputValue(),
  },
  "a letter": {
    path: "/compose",
    heading: "Compose Email",
    prepare: (person) => person.createAlias({ forwardTo: "jonas@inbox.example" }),
    type: (page, text) => subject(page).pressSequentially(text),
    change: (page, text) => subject(page).fill(text),
    async read(page) {
      // A letter of a tab that is gone is in the list of drafts.
      const listed = page.getByRole("button", { name: /^Open typed-/ });
      if ((await subject(page).inputValue()) === "") {
        const drafts = page.getByRole("button", { name: /^Drafts/ });
        if (await drafts.isVisible()) {
          if (!(await listed.isVisible())) await drafts.click();
          await listed.click();
        }
      }
      return subject(page).inputValue();
    },
  },
  "the encrypted text": {
    path: "/decrypt",
    heading: "Decrypt Messages",
    prepare: (person) => storeReadyKey(person, "Personal"),
    type: (page, text) =>
      page
        .getByLabel("Encrypted Text")
        .first()
        .fill(encrypted.get(text) ?? ""),
    change: (page, text) =>
      page
        .getByLabel("Encrypted Text")
        .first()
        .fill(encrypted.get(text) ?? ""),
    async read(page) {
      const text = await page.getByLabel("Encrypted Text").first().inputValue();
      return [...encrypted].find(([, cipher]) => cipher.trim() === text.trim())?.[0] ?? text;
    },
  },
};

async function openPanel(page: Page): Promise<void> {
  if (await panelOf(page).isVisible()) return;
  await page.getByRole("row").getByRole("link", { name: /@/ }).click();
  await panelOf(page).waitFor();
}

async function openForm(form: Form, prepare?: (page: Page) => Promise<unknown>) {
  const person = await site.person();
  await form.prepare?.(person);
  const opened = await visitOf(site, person);
  await prepare?.(opened.page);
  await opened.page.goto(form.path);
  await seeHeading(opened.page, form.heading);
  await watchIsThere(opened.page);
  return { ...opened, person };
}

/** Types, and waits for the key that encrypts drafts: what is typed afterwards is stored at once. */
async function typeIn(page: Page, form: Form, text: string): Promise<void> {
  await form.type(page, text);
  await seeStored(page);
}

const seeTyped = (page: Page, form: Form, text: string) => expect.poll(() => form.read(page)).toBe(text);

/** Another client ends the session; the page learns it as it does when the browser restores it. */
async function endSession({ page, expectRefusal }: Visit, person: Person): Promise<void> {
  expectRefusal(401, /^\/api\//);
  await person.call("POST", "/api/auth/logout");
  await page.evaluate(`for (const name of ["pagehide", "pageshow"])
    window.dispatchEvent(new PageTransitionEvent(name, { persisted: true }));`);
}

describe.each(Object.entries(forms))("%s", (_, form) => {
  test("survives a reload right after the key", async () => {
    const { page } = await openForm(form);
    await typeIn(page, form, "typed-second");
    await form.change(page, "typed-first");
    await page.reload();
    await seeTyped(page, form, "typed-first");
  });

  test("survives another page, a closed tab and signing out, and is then used up by nobody else", async () => {
    const visit = await openForm(form);
    const { page, context, person } = visit;
    await typeIn(page, form, "typed-first");
    await page.getByRole("link", { name: "_SETTINGS" }).click();
    await seeHeading(page, "Settings");
    await page.goBack();
    await seeTyped(page, form, "typed-first");
    await page.close();
    const next = await context.newPage();
    await next.goto(form.path);
    await seeTyped(next, form, "typed-first");
    await next.getByRole("button", { name: "Log out" }).click();
    await seePath(next, "/home");
    const other = await site.person();
    for (const [who, text] of [
      [other, ""],
      [person, "typed-first"],
    ] as const) {
      await next.goto("/auth");
      await signIn(next, who.email, who.password);
      await seeHeading(next, "Email Forwarding");
      if (who === person) {
        await next.goto(form.path);
        await seeTyped(next, form, text);
      } else expect(await next.evaluate("document.documentElement.outerHTML")).not.toContain("typed-first");
      await next.getByRole("button", { name: "Log out" }).click();
      await seePath(next, "/home");
    }
  });

  test("stays in the page while its session is over, and is not readable behind the sign-in", async () => {
    const visit = await openForm(form);
    const { page, person } = visit;
    await typeIn(page, form, "typed-first");
    await endSession(visit, person);
    await resumeSession(page, person.email, person.password);
    await seeTyped(page, form, "typed-first");
    await page.reload();
    await seeTyped(page, form, "typed-first");
  });

  test("waits after half an hour away, and the next sign-in leads back to it", async () => {
    const { page, person } = await openForm(form, (page) => page.clock.install());
    await typeIn(page, form, "typed-first");
    await page.clock.fastForward(31 * minutes);
    await soon(page, async () => new URL(page.url()).pathname === "/home");
    await page.clock.resume();
    await page.getByRole("link", { name: "SIGN IN" }).click();
    await signIn(page, person.email, person.password);
    await seePath(page, form.path);
    await seeTyped(page, form, "typed-first");
  });

  test("is there after the server was started again, without a reload and with one", async () => {
    const { page } = await openForm(form);
    await typeIn(page, form, "typed-first");
    await site.restart();
    await seeTyped(page, form, "typed-first");
    await page.reload();
    await seeTyped(page, form, "typed-first");
  });

  test("is there after an update of the app reloaded the page, and replaced the code of every page", async () => {
    const { page, context, expectRefusal, expectError } = await openForm(form);
    expectRefusal(404, /\/assets\/MovePage-/);
    expectError(/dynamically imported module/);
    await typeIn(page, form, "typed-first");
    let loads = 0;
    page.on("request", (request) => request.isNavigationRequest() && loads++);
    // The former build's code is gone; that of the page which is loaded anew is there.
    await context.route("**/assets/MovePage-*", (route) =>
      loads === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.evaluate("history.pushState(null, '', '/move')");
    await seeHeading(page, "Move in");
    expect(loads).toBe(1);
    await page.goto(form.path);
    await seeTyped(page, form, "typed-first");
  });

  test("is stored without the network, for the reload after it", async () => {
    const { page, context } = await openForm(form);
    // The key is there once a draft was stored.
    await typeIn(page, form, "typed-second");
    await page.reload();
    await seeTyped(page, form, "typed-second");
    await context.setOffline(true);
    await form.change(page, "typed-first");
    await context.setOffline(false);
    await page.reload();
    await seeTyped(page, form, "typed-first");
  });

  test("is each tab's own", async () => {
    const { page, context } = await openForm(form);
    await typeIn(page, form, "typed-first");
    const second = await context.newPage();
    await second.goto(form.path);
    await seeHeading(second, form.heading);
    await typeIn(second, form, "typed-second");
    for (const [tab, text] of [
      [page, "typed-first"],
      [second, "typed-second"],
    ] as const) {
      await tab.reload();
      await seeTyped(tab, form, text);
    }
  });
});

describe("what is never stored", () => {
  test("the form for an account keeps the e-mail in this tab, and asks before a password is lost", async () => {
    const { page, context } = await site.visit();
    const scripts = Promise.withResolvers<void>();
    await context.route("**/assets/*.js", (route) => scripts.promise.then(() => route.continue()));
    await page.goto("/register", { waitUntil: "commit" });
    await page.getByLabel("Email").fill("typed.first@people.example");
    scripts.resolve();
    await seeLive(page);
    expect(await asks(page)).toBe(false);
    await page.goto("/terms");
    await page.goto("/register");
    await expect.poll(() => page.getByLabel("Email").inputValue()).toBe("typed.first@people.example");
    await page.getByLabel(/^Password/).fill("correct horse battery");
    expect(await asks(page)).toBe(true);
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain("horse");
    await page.getByLabel(/^Password/).fill("");
    const other = await context.newPage();
    await other.goto("/register");
    await seeLive(other);
    expect(await other.getByLabel("Email").inputValue()).toBe("");
  });

  test("the dialog for a key keeps the name in this tab, and Escape asks before a password is lost", async () => {
    const { page } = await site.visit({ as: await site.person() });
    await page.goto("/settings");
    await page.getByRole("button", { name: "Create Key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.getByLabel("Key name").fill("Typed first");
    await page.keyboard.press("Escape");
    await seeGone(dialog);
    await page.reload();
    await page.getByRole("button", { name: "Create Key" }).click();
    expect(await dialog.getByLabel("Key name").inputValue()).toBe("Typed first");
    await dialog.getByLabel("Master password").fill("correct horse battery");
    expect(await asks(page)).toBe(true);
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Close and lose what you typed?" });
    await question.waitFor();
    await page.keyboard.press("Escape");
    await seeGone(question);
    expect(await dialog.getByLabel("Master password").inputValue()).toBe("correct horse battery");
    await dialog.getByRole("button", { name: "Close" }).click();
    await question.getByRole("button", { name: "Close" }).click();
    await seeGone(dialog);
    expect(await asks(page)).toBe(false);
  });
});
