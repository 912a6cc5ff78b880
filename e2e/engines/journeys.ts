/**
 * The main journeys, once for every engine: what a person does, and where engines differ (clipboard, dialogs, worker).
 * `npm test` runs few of them in each engine, `npm run test:long` all.
 */
import { apiKeyPattern, type LabelWire } from "@kauke/contract";
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import { describe, expect, test } from "vitest";
import { widths } from "../browser/browser.ts";
import { password } from "../browser/steps.ts";
import { masterPassword } from "../keys/encrypted-texts.ts";
import { multipartMessage, subjectOf, words } from "../mail/message.ts";
import { testOwnDomain } from "./domain-journey.ts";
import type { EngineProgram } from "./driver.ts";
import type { ElementQuery } from "./finder.ts";
import { testDrafts, testLanguage, testLive, testUndo } from "./forgiving-journeys.ts";
import { button, dialog, field, heading, link, main, text, toast } from "./queries.ts";
import { type EngineSite, runEngineSite } from "./site.ts";
import type { Tab } from "./tab.ts";

/** Defines a journey as a test. */
type Journey = (site: EngineSite) => void;

const journeys: readonly Journey[] = [
  testFirstMail,
  testClipboard,
  testOrder,
  testSignIn,
  testKeys,
  testCompose,
  testUndo,
  testDrafts,
  testLive,
  testLanguage,
  testOwnDomain,
  testPages,
  testDialog,
  testAdmin,
];

/**
 * Defines the journeys as tests of the calling file; if the engine is missing they are skipped and the reason is
 * printed.
 * @param usual the journey that `npm test` runs
 * @param more tests for this engine alone
 */
export function runJourneys(program: EngineProgram, usual: Journey, more: Journey = () => {}): void {
  if (program.missing !== null) {
    console.log(`The journeys in ${program.name} are skipped: ${program.missing}.`);
    test.skip(`the journeys in ${program.name}: ${program.missing}`);
    return;
  }
  describe(program.name, () => {
    const site = runEngineSite(program);
    testFindings(site);
    for (const add of isLongRun ? journeys : [usual]) add(site);
    more(site);
  });
}

async function send(site: EngineSite, to: string, number: number): Promise<void> {
  const mail = { port: site.server.mxPort, from: "parcels@shop.example", to, message: multipartMessage(number) };
  expect((await sendMail(mail)).last).toMatch(/^250 /);
}

export async function openNewest(site: EngineSite, tab: Tab, subject: string): Promise<void> {
  await tab.open(`/preview?token=${await site.server.previewToken()}`);
  await tab.click(button(new RegExp(subject.replace(/[[\].]/g, "\\$&")), { role: "listitem" }));
  await tab.see(heading(subject));
}

/** Script with faults of every kind that a visit is watched for; each would fail any other test. */
const planted = `setTimeout(() => { throw new Error("a planted exception"); });
  void Promise.reject(new Error("a planted rejection"));
  console.error("a planted line");
  document.body.append(Object.assign(new Image(), { src: "https://elsewhere.example/pixel.png" }));
  void fetch("/api/nothing-here");`;

function testFindings(site: EngineSite): void {
  test("control: what a healthy page never does is found", async () => {
    const tab = await site.visit();
    await tab.open("/about");
    await tab.driver.evaluate(`(() => { ${planted} })()`);
    const found: string[] = [];
    for (const wanted of [
      /^page error: .*a planted exception/,
      /^page error: .*a planted rejection/,
      /^console error: a planted line/,
      /^CSP violation: img-src https:\/\/elsewhere/,
      /^CSP report: .*elsewhere\.example/,
      /^refused request: 404 GET \/api\/nothing-here/,
    ])
      await expect
        .poll(() => (found.push(...site.takeFindings()), found))
        .toContainEqual(expect.stringMatching(wanted));
    // The refused picture may also be reported as not loaded: drop all further findings before the visit ends.
    await tab.open("/about");
    site.takeFindings();
  });
}

export function testFirstMail(site: EngineSite): void {
  test("a person registers, creates an alias and reads mail sent to it, on a phone", async () => {
    const tab = await site.visit({ width: widths.phone });
    await tab.open("/home");
    // Until the app has taken the page over, the link would load another document, and this one's scripts be given up.
    await tab.until("Object.keys(document.querySelector('#root')).some((key) => key.startsWith('__reactContainer'))");
    await tab.click(link("Sign up with email", main));
    await tab.fill(field("Email"), "ona.engine@people.example");
    await tab.fill(field(/^Password/), password);
    await tab.fill(field("Confirm password"), password);
    await tab.click(button("Create Account"));
    await tab.seePath("/dashboard");
    await tab.fill(field("Alias name and domain"), "engine-shop");
    await tab.fill(field("Forward to"), "ona@inbox.example");
    await tab.click(button("Create Alias"));
    await tab.see(toast("Alias Created"));
    await tab.see({ role: "switch", name: "engine-shop@kauke.test forwards mail" });
    await send(site, "engine-shop@kauke.test", 1);
    await openNewest(site, tab, subjectOf(1));
    await tab.see(text(new RegExp(words.text)));
    await tab.click({ role: "tab", name: "HTML" });
    await tab.see({ role: "frame", name: "" });
    await tab.click({ role: "tab", name: "Raw" });
    await tab.see({ role: "tabpanel", name: /Raw|Delivered-To/ });
  });
}

function testOrder(site: EngineSite): void {
  test("Enter creates and copies an alias, a label filters the list, and a new API key is shown with its QR code", async () => {
    const person = await site.person();
    const labelled = await person.createAlias({ alias: "engine-labelled", forwardTo: "jonas@inbox.example" });
    const made = await person.call("POST", "/api/labels", { name: "Parduotuvės", colour: "teal" });
    const { label } = made.body as { label: LabelWire };
    await person.call("POST", "/api/aliases/bulk", { aliasIds: [labelled.id], change: { addLabel: label.id } });
    const tab = await site.visit({ as: person });
    const forwards = (name: string): ElementQuery => ({ role: "switch", name: `${name}@kauke.test forwards mail` });
    // The form begins with the account's default mailbox, once that is loaded.
    await tab.see(button(`Remove ${person.email}`));
    await tab.click(button("Your destinations"));
    await tab.click({ role: "option", name: /^jonas@inbox\.example/ });
    await tab.see(button("Remove jonas@inbox.example"));
    await tab.click(field("Alias name and domain"));
    await tab.type("new1");
    await tab.press("Enter");
    await tab.see(forwards("new1"));
    await tab.see(toast("Alias Created"));
    await tab.click(field(/^Notes/));
    await tab.press("Control", "v");
    expect(await tab.value(field(/^Notes/))).toBe("new1@kauke.test");

    await tab.click(button(/^Parduotuvės/, { role: "group", name: "Show aliases" }));
    await tab.seeGone(forwards("new1"));
    await tab.see(forwards("engine-labelled"));

    await tab.click(link("_SETTINGS"));
    await tab.click(button("Create API Key", main));
    const create = dialog("Create API key");
    await tab.click(field(/^Name/, create));
    await tab.type("Phone");
    await tab.press("Enter");
    const shown = dialog("Your new API key");
    await tab.see({ role: "image", name: "QR code of server address and key", within: shown });
    await tab.seeFocus(button("Copy Key", shown));
    expect(await tab.text({ role: "code", within: { role: "group", name: "API key", within: shown } })).toMatch(
      apiKeyPattern,
    );
  });
}

function testSignIn(site: EngineSite): void {
  test("a wrong password is refused at its field; the right one signs in, and signing out leads to the landing page", async () => {
    const person = await site.person();
    const tab = await site.visit();
    tab.expectRefusal(401, "/api/auth/login");
    await tab.open("/auth");
    await tab.fill(field("Email"), person.email);
    await tab.fill(field("Password"), "not this one");
    await tab.press("Enter");
    await tab.see(toast("Login Failed"));
    await tab.seeFocus(field("Password"));
    await tab.press("Control", "a");
    await tab.type(person.password);
    await tab.press("Enter");
    await tab.seePath("/dashboard");
    await tab.see(text("No aliases yet"));
    await tab.click(button("Log out"));
    await tab.see(toast("Logged Out"));
    await tab.seePath("/home");
    await tab.open("/dashboard");
    await tab.see(heading("Welcome Back"));
  });
}

function testAdmin(site: EngineSite): void {
  test("an admin reads the checks, makes an invitation and finds it in the list of acts, on a phone", async () => {
    const person = await site.person();
    const control = controlClient(controlPath(site.server.dataDir) ?? "");
    await control["users-admin"]({ userId: person.user.id, isAdmin: true });
    const tab = await site.visit({ as: person, width: widths.phone });
    await tab.open("/admin");
    await tab.click(link(/^Overview/));
    await tab.see(heading(/^Everything works|^\d+ things? to fix/));
    await tab.click(link("All sections"));
    await tab.click(link("Invitations"));
    await tab.click(button("Create Invitation"));
    await tab.click(button("Create Invitation", dialog("Create invitation")));
    await tab.see(text(/#invite=[a-z2-7]{32}$/));
    await tab.click(button("Done"));
    await tab.see(text("For anybody who has the link"));
    await tab.click(link("All sections"));
    await tab.click(link("Acts"));
    await tab.see(text("Invitation created"));
  });
}

function testKeys(site: EngineSite): void {
  test("a key is made in the browser, mail is forwarded encrypted to it, and the page decrypts it, on a phone", async () => {
    const person = await site.person();
    const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const tab = await site.visit({ as: person, width: widths.phone });
    await tab.open("/settings");
    await tab.click(button("Create Key", main));
    const create = dialog("Create key");
    await tab.fill(field(/^Key name/, create), "Laptop");
    await tab.fill(field("Master password", create), masterPassword);
    await tab.fill(field("Type it again", create), masterPassword);
    await tab.click(button("Create Key", create));
    await tab.click(button("Done", dialog("Key created")));
    await tab.seeGone(dialog("Key created"));
    await tab.click(field("Forward encrypted"));
    await tab.type("To L");
    await tab.press("Enter");
    await expect
      .poll(async () => (await person.call("GET", "/api/account/settings")).body)
      .toMatchObject({
        sealTo: expect.stringMatching(/^[\da-f-]{36}$/),
      });
    await send(site, `${alias.alias}@${alias.domain}`, 2);
    await openNewest(site, tab, "[...]");
    const armored = await tab.driver.evaluate(
      `fetch(document.querySelector("[aria-label=Attachments] a").href).then((answer) => answer.text())`,
    );
    expect(armored).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----/);
    await tab.open("/decrypt");
    await tab.see(field("Encrypted Text"));
    // No empty field scrolls sideways: WebKit would let it, if its placeholder were wider than the field.
    await tab.until("[...document.querySelectorAll('textarea')].every((it) => it.scrollWidth <= it.clientWidth)");
    await tab.fill(field("Encrypted Text"), String(armored));
    await tab.fill(field("Master Password"), masterPassword);
    await tab.click(button("Decrypt Message"));
    await tab.see(toast("Decryption successful"));
    await tab.see(heading(subjectOf(2)));
    await tab.see(text(new RegExp(words.text)));
  });
}

function testCompose(site: EngineSite): void {
  test("a message that was undone is open again as it was written", async () => {
    const person = await site.person();
    const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    expect((await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id })).status).toBe(201);
    const tab = await site.visit({ as: person });
    await tab.click(link("_COMPOSE"));
    await tab.fill(field("To"), "rasa@outside.example");
    await tab.fill(field("Subject"), "Undone");
    await tab.fill(field("Message"), "Labas, Rasa\nJonas");
    await tab.click(button("Send Email"));
    await tab.see(toast("Email queued"));
    await tab.click(button("Undo", { role: "toast" }));
    await tab.see(toast("Email sending cancelled"));
    await tab.see(button("Remove rasa@outside.example"));
    expect(await tab.value(field("Message"))).toBe("Labas, Rasa\nJonas");
    expect(await tab.value(field("From"))).toBe(alias.id);
  });
}

export function testClipboard(site: EngineSite): void {
  test("a new password, a username and a hidden password are copied", () => copyWhatThePanelShows(site, []));
}

/** Defines a test for engines without `ClipboardItem`, which Firefox has since version 127. */
export function testWithoutClipboardItem(site: EngineSite): void {
  test("a new password, a username and a hidden password are copied without ClipboardItem", () =>
    copyWhatThePanelShows(site, ["ClipboardItem"]));
}

/**
 * Copies what the panel shows and pastes each into a field of the same page: a page may not read the clipboard without
 * permission.
 */
async function copyWhatThePanelShows(site: EngineSite, missingGlobals: readonly string[]): Promise<void> {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const address = `${alias.alias}@${alias.domain}`;
  const tab = await site.visit({ as: person, missingGlobals });
  expect(await tab.driver.evaluate("typeof ClipboardItem")).toBe(missingGlobals.length > 0 ? "undefined" : "function");
  await tab.click(button(`SMTP settings of ${address}`));
  await tab.click(button("Generate credentials"));
  await tab.see(text(/^Copy now\. The/));
  const secret = (await tab.text({ role: "code" })).trim();
  expect(secret.length).toBeGreaterThan(12);
  const pasted = async () => {
    await tab.see(toast("Copied to clipboard"));
    await tab.click(button("Dismiss"));
    await tab.fill(field(/^Notes/), "");
    await tab.press("Control", "v");
    return tab.value(field(/^Notes/));
  };
  await tab.click(button("Copy"));
  expect(await pasted()).toBe(secret);
  await tab.click(button("Hide"));
  await tab.click(button("Copy username"));
  expect(await pasted()).toBe(address);
  // The password is fetched first, so that the click is some time ago when the clipboard is written.
  await tab.click(button("Copy"));
  expect(await pasted()).toBe(secret);
}

function testPages(site: EngineSite): void {
  test("public pages open, an unknown one says so, and the theme is kept", async () => {
    const tab = await site.visit();
    const theme = "Switch between light and dark theme";
    const isDark = "document.documentElement.dataset.theme === 'dark'";
    for (const [path, title] of [
      ["/about", "About"],
      ["/privacy", "Privacy Policy"],
      ["/terms", "Terms of Service"],
      ["/gdpr", "GDPR"],
      ["/transparency", "Transparency Report"],
    ] as const) {
      await tab.open(path);
      await tab.see(heading(title));
    }
    await tab.open("/");
    await tab.see(heading(/^One click, new identity/));
    await tab.click(button(theme));
    await tab.until(isDark);
    tab.expectRefusal(404, "/nowhere");
    await tab.open("/nowhere");
    await tab.until(isDark);
  });
}

function testDialog(site: EngineSite): void {
  test("a dialog is opened, used and closed by keyboard, and returns the focus", async () => {
    const person = await site.person();
    const tab = await site.visit({ as: person });
    await tab.open("/settings/account");
    const opener = button(`Change password of ${person.email}`);
    const change = dialog("Change password");
    await tab.see(opener);
    for (let stops = 0; stops < 60 && !(await hasFocus(tab, opener)); stops++) await tab.press("Tab");
    await tab.press("Enter");
    await tab.seeFocus(field("Current password", change));
    const insideDialog = "document.activeElement.closest('[role=dialog]') !== null";
    for (let stops = 0; stops < 12; stops++) {
      await tab.press("Tab");
      expect(await tab.driver.evaluate(insideDialog)).toBe(true);
    }
    await tab.press("Escape");
    await tab.seeGone(change);
    await tab.seeFocus(opener);
  });
}

async function hasFocus(tab: Tab, query: ElementQuery): Promise<boolean> {
  const name = await tab.driver.evaluate(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText",
  );
  return name === query.name;
}
