/** Creating aliases, with every message shown on the way. */
import { generateKeyPair } from "@kauke/age";
import { aliasMessages, emailJobMessages } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { VisitOptions } from "../browser/browser.ts";
import { hoverAtRest, seeFieldError, seeFocus, seeGone, seeStored, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import {
  aliasRow,
  createAliasOnPage,
  createForm,
  destinationsIn,
  fillCreate,
  forwardField,
  listedAddresses,
  registerOnPage,
  setDestinations,
  tryAgain,
} from "../browser/steps.ts";
import { usually } from "../browser/variants.ts";
import { encryptedText } from "../keys/encrypted-texts.ts";

const site = runSite();
const inbox = "jonas@inbox.example";
let made = 0;
/** A new alias name: aliases are unique over all accounts of this test file's server. */
const newName = () => `fresh-${++made}`;

async function openDashboard(options: VisitOptions = {}) {
  const person = await site.person();
  const visit = await site.visit({ as: person, ...options });
  await visit.page.goto("/dashboard");
  // The form's initial destination is the account's own mailbox.
  await expect.poll(() => destinationsIn(visit.page)).toBe(person.email);
  return { ...visit, person };
}

/** Pastes a text from the clipboard with the keyboard, so that the browser handles line ends as for a user. */
async function paste(field: Locator, text: string): Promise<void> {
  const page = field.page();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await field.press("ControlOrMeta+v");
}

const nameField = (page: Page) => createForm(page).getByLabel("Alias name and domain");
const notesField = (page: Page) => createForm(page).getByLabel(/^Notes/);

describe("creating", () => {
  test("all that was typed is there after a reload, and no alias was made of it", async () => {
    const { page, person } = await openDashboard();
    await nameField(page).fill("typed-before");
    await createForm(page).getByLabel("Domain", { exact: true }).selectOption("vejas.test");
    await setDestinations(page, `${inbox},`);
    await forwardField(page).pressSequentially("half@");
    await notesField(page).fill("for the garden shop");
    await seeStored(page);
    await page.reload();
    await expect.poll(() => nameField(page).inputValue()).toBe("typed-before");
    expect(await createForm(page).getByLabel("Domain", { exact: true }).inputValue()).toBe("vejas.test");
    expect(await destinationsIn(page)).toBe(`${inbox}, half@`);
    expect(await notesField(page).inputValue()).toBe("for the garden shop");
    expect(await person.listAliases()).toEqual([]);
  });

  test("an alias is created on the first domain or the chosen one and is still there after a reload", async () => {
    const { page } = await openDashboard();
    const [first, second] = [newName(), newName()];
    await page.getByText("No aliases yet", { exact: true }).waitFor();
    await createAliasOnPage(page, { alias: first, domain: "kauke.test", forwardTo: inbox, notes: "Parcels" });
    await createAliasOnPage(page, {
      alias: second,
      domain: "vejas.test",
      forwardTo: `${inbox}, https://hooks.example.org/x`,
    });
    await page.reload();
    await aliasRow(page, `${first}@kauke.test`).getByText("Parcels", { exact: true }).waitFor();
    const row = aliasRow(page, `${second}@vejas.test`);
    await row.getByText(inbox, { exact: true }).waitFor();
    await hoverAtRest(row.getByText("+1", { exact: true }));
    await page.getByRole("tooltip").getByText("https://hooks.example.org/x", { exact: true }).waitFor();
    expect(await listedAddresses(page)).toEqual([`${second}@vejas.test`, `${first}@kauke.test`]);
  });

  test.runIf(isLongRun)("the provider's own two domains come first, the others in alphabetical order", async () => {
    const { page } = await openDashboard();
    const domains = createForm(page).getByLabel("Domain", { exact: true });
    const listed = ["kauke.test", "slapta.test", "rukas.test", "tyla.test", "vejas.test"];
    await expect.poll(() => domains.getByRole("option").allTextContents()).toEqual(listed);
    expect(await domains.inputValue()).toBe("kauke.test");
  });

  test("an empty form names both required fields", async () => {
    const { page } = await openDashboard();
    await fillCreate(page, { forwardTo: "" });
    await seeFieldError(nameField(page), aliasMessages.nameRequired);
    await seeFieldError(forwardField(page), aliasMessages.forwardToRequired);
  });

  test("an invalid alias name is reported beneath its field, and the message disappears when it is corrected", async () => {
    const { page } = await openDashboard();
    const names = ["two words", "dot..dot", ".first", "last.", "ąžuolas", "a@b", "a".repeat(65)];
    for (const alias of usually(names, 1, 4)) {
      await fillCreate(page, { alias, forwardTo: inbox });
      await seeFieldError(nameField(page), "Invalid alias format");
      await nameField(page).fill("fine");
      await seeGone(createForm(page).getByRole("alert"));
    }
  });

  test("text that is neither a mailbox nor a webhook is refused with a hint", async () => {
    const hint =
      "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas";
    const { page } = await openDashboard();
    const wrong = ["nobody", `${inbox}, nobody`, "ftp://hooks.example.org/x", `${inbox},,nobody`, "null"];
    for (const forwardTo of usually(wrong, 1, 2)) {
      await fillCreate(page, { alias: newName(), forwardTo });
      await seeFieldError(forwardField(page), hint);
      await setDestinations(page, inbox);
      await seeGone(createForm(page).getByRole("alert"));
    }
  });

  test.runIf(isLongRun)(
    "the remaining characters of notes are counted and input stops at 128; longer notes that get past the field are refused",
    async () => {
      const { page } = await openDashboard();
      const notes = notesField(page);
      const counter = createForm(page).getByText(/^\d+ left$/);
      expect(await counter.innerText()).toBe("128 left");
      await notes.fill("seventeen letters");
      await expect.poll(() => counter.innerText()).toBe("111 left");
      await notes.fill("x".repeat(128));
      await notes.press("End");
      await notes.pressSequentially("yz");
      expect(await notes.inputValue()).toBe("x".repeat(128));
      expect(await counter.innerText()).toBe("0 left");
      await notes.evaluate((field) => field.removeAttribute("maxlength"));
      await fillCreate(page, { alias: newName(), forwardTo: inbox, notes: "x".repeat(129) });
      await seeFieldError(notes, "Notes must be 128 characters or less");
    },
  );

  test.runIf(isLongRun)(
    "without the list of domains the form says so, offers to load it again, and requires a domain",
    async () => {
      const { page, context, expectFailure } = await site.visit({ as: await site.person() });
      expectFailure("/api/domains");
      await context.route("**/api/domains", (route) => route.abort("connectionrefused"));
      await page.goto("/dashboard");
      await page.getByText("The domains could not be loaded.").waitFor();
      await fillCreate(page, { alias: newName(), forwardTo: inbox });
      await createForm(page).getByText("Domain is required", { exact: true }).waitFor();
      await context.unroute("**/api/domains");
      await tryAgain(page);
      await fillCreate(page, {});
      await seeToast(page, "Alias Created");
    },
  );

  test("input that only the server can refuse is reported at its field, with a toast", async () => {
    const { page, person, expectRefusal } = await openDashboard();
    expectRefusal(400, `/api/aliases/${person.user.id}`);
    await fillCreate(page, { alias: newName(), forwardTo: "somebody@slapta.test" });
    await seeFieldError(forwardField(page), aliasMessages.forwardToOwnDomain);
    await seeToast(page, "Validation Error", "Please fix the errors shown below and try again.");
  });

  test("reserved names and their look-alikes are not sent to the server", async () => {
    const { page } = await openDashboard();
    let sent = 0;
    page.on("request", (request) => {
      if (request.method() === "POST") sent++;
    });
    for (const alias of usually(["admin", "PayPal", "adm1n", "pay-pal"], 1, 2)) {
      await fillCreate(page, { alias, forwardTo: inbox });
      await seeToast(page, "Alias Not Allowed", `The name ${alias} is reserved.`);
      await seeFieldError(nameField(page), `The name ${alias} is reserved.`);
    }
    expect(sent).toBe(0);
  });

  test("a name that another account uses is taken, in whatever case", async () => {
    const other = await site.person();
    const alias = newName();
    await other.createAlias({ alias, forwardTo: inbox });
    const { page, person, expectRefusal } = await openDashboard();
    expectRefusal(409, `/api/aliases/${person.user.id}`);
    await fillCreate(page, { alias: alias.toUpperCase(), forwardTo: inbox });
    await seeToast(page, "Creation Failed", "This alias is already taken. Please choose another name.");
    expect(await nameField(page).inputValue()).toBe(alias.toUpperCase());
    await seeFieldError(nameField(page), "This alias is already taken. Please choose another name.");
  });

  test("a double click on Create makes one alias and no error", async () => {
    const { page, person } = await openDashboard();
    const alias = newName();
    await createForm(page).getByLabel("Alias name and domain").fill(alias);
    await setDestinations(page, inbox);
    const button = createForm(page).getByRole("button", { name: "Create Alias" });
    await button.hover();
    for (const clickCount of [1, 2]) {
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
      // The second click of a slow double click comes when the form is empty again.
      await expect.poll(() => nameField(page).inputValue()).toBe("");
    }
    await page.evaluate("new Promise((done) => setTimeout(done, 100))");
    expect(await nameField(page).getAttribute("aria-invalid")).toBeNull();
    expect(await person.listAliases()).toHaveLength(1);
  });

  test.runIf(isLongRun)(
    "an unreachable server is reported as a failure with its reason, and the form keeps what was typed",
    async () => {
      const { page, person, context, expectFailure } = await openDashboard();
      expectFailure(`/api/aliases/${person.user.id}`);
      await context.route("**/api/aliases/*", (route) => route.abort("connectionrefused"));
      const alias = newName();
      await fillCreate(page, { alias, forwardTo: inbox });
      await seeToast(page, "Creation Failed", /could not be reached/);
      expect(await nameField(page).inputValue()).toBe(alias);
    },
  );
});

describe("the destination that the form offers", () => {
  test("typing the name leaves it in its field, and Enter creates the alias", async () => {
    const { page, person } = await openDashboard();
    const alias = newName();
    await nameField(page).press("x");
    expect(await destinationsIn(page)).toBe(person.email);
    await page.keyboard.press("Backspace");
    await page.keyboard.type(alias);
    await page.keyboard.press("Enter");
    await seeToast(page, "Alias Created");
    expect((await person.listAliases())[0]?.forwardTo).toBe(person.email);
  });

  /** Opens the dashboard without the account's mailboxes; the returned function loads them. */
  async function openWithoutMailboxes() {
    const { page, context } = await openDashboard();
    const loaded = Promise.withResolvers<void>();
    await context.route("**/api/mailboxes", async (route) => {
      await loaded.promise;
      await route.continue();
    });
    await page.reload();
    const load = async () => {
      const response = page.waitForResponse("**/api/mailboxes");
      loaded.resolve();
      await (await response).finished();
      await createForm(page).getByRole("button", { name: "Your destinations" }).waitFor();
    };
    return { page, load };
  }

  test("what was typed before the account's mailboxes were loaded stays", async () => {
    const { page, load } = await openWithoutMailboxes();
    await nameField(page).fill("early");
    await setDestinations(page, inbox);
    await notesField(page).fill("Typed early");
    await load();
    expect(await nameField(page).inputValue()).toBe("early");
    expect(await destinationsIn(page)).toBe(inbox);
    expect(await notesField(page).inputValue()).toBe("Typed early");
  });

  test("a mailbox that is loaded while Forward to has the focus is not put before what is typed", async () => {
    const { page, load } = await openWithoutMailboxes();
    await forwardField(page).focus();
    await load();
    await page.keyboard.type(inbox);
    expect(await destinationsIn(page)).toBe(inbox);
  });

  test("the only mailbox of a new account is offered before it is confirmed", async () => {
    const { page } = await site.visit();
    const email = "only.mailbox@people.example";
    await registerOnPage(page, email);
    await expect.poll(() => destinationsIn(page)).toBe(email);
  });
});

describe("creating an alias in few steps", () => {
  const readClipboard = (page: Page) => page.evaluate<string>("navigator.clipboard.readText()");
  const markedRow = (page: Page, address: string) => aliasRow(page, address).and(page.locator(".new"));

  test("on a page over plain http of another machine, which has no clipboard, addresses are copied too", async () => {
    const { page, context } = await openDashboard();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const reader = await context.newPage();
    await reader.goto("/about");
    const read = async () => {
      await reader.bringToFront();
      return readClipboard(reader);
    };
    await context.addInitScript(`Object.defineProperty(navigator, "clipboard", { value: undefined })`);
    await page.reload();
    await page.bringToFront();
    const alias = newName();
    await nameField(page).fill(alias);
    await setDestinations(page, inbox);
    await nameField(page).press("Enter");
    await seeToast(page, "Alias Created", `${alias}@kauke.test is copied. It forwards from now on.`);
    await seeFocus(nameField(page));
    expect(await read()).toBe(`${alias}@kauke.test`);
    await reader.evaluate("navigator.clipboard.writeText('')");
    await page.bringToFront();
    const copy = aliasRow(page, `${alias}@kauke.test`).getByRole("button", { name: /^Copy / });
    await copy.click();
    await seeToast(page, "Copied to clipboard", `${alias}@kauke.test`);
    await seeFocus(copy);
    expect(await read()).toBe(`${alias}@kauke.test`);
  });

  test("Enter creates and copies an alias; domain and destinations stay, and its row is marked for three seconds", async () => {
    const { page, context } = await openDashboard();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const [first, second] = [newName(), newName()];
    await createForm(page).getByLabel("Domain", { exact: true }).selectOption("vejas.test");
    await setDestinations(page, inbox);
    await nameField(page).fill(first);
    await page.keyboard.press("Enter");
    await seeToast(page, "Alias Created", `${first}@vejas.test is copied. It forwards from now on.`);
    expect(await readClipboard(page)).toBe(`${first}@vejas.test`);
    await markedRow(page, `${first}@vejas.test`).waitFor();
    await seeFocus(nameField(page));
    await page.keyboard.type(second);
    await page.keyboard.press("Enter");
    await expect.poll(() => readClipboard(page)).toBe(`${second}@vejas.test`);
    await aliasRow(page, `${second}@vejas.test`).getByText(inbox, { exact: true }).waitFor();
    await seeGone(page.locator("tr.new"));
  });

  test.runIf(isLongRun)(
    "the last used domain and destinations are still in the form after visiting another page",
    async () => {
      const { page } = await openDashboard();
      await createAliasOnPage(page, { alias: newName(), domain: "vejas.test", forwardTo: inbox });
      const links = page.getByRole("banner");
      await links.getByRole("link", { name: "_SETTINGS" }).click();
      await links.getByRole("link", { name: "_FORWARD" }).click();
      await expect.poll(() => destinationsIn(page)).toBe(inbox);
      expect(await createForm(page).getByLabel("Domain", { exact: true }).inputValue()).toBe("vejas.test");
    },
  );

  test.runIf(isLongRun)(
    "a pasted address on one of the server's domains fills name and domain; any other address stays as it is",
    async () => {
      const { page } = await openDashboard();
      await paste(nameField(page), "Shop <shop@slapta.test>");
      await expect.poll(() => nameField(page).inputValue()).toBe("shop");
      expect(await createForm(page).getByLabel("Domain", { exact: true }).inputValue()).toBe("slapta.test");
      await nameField(page).fill("");
      await paste(nameField(page), "a@elsewhere.example");
      await fillCreate(page, { forwardTo: inbox });
      await seeFieldError(nameField(page), "Invalid alias format");
      expect(await nameField(page).inputValue()).toBe("a@elsewhere.example");
    },
  );

  test("pasted destinations are converted to a comma-separated list, and invalid ones are named", async () => {
    const { page } = await openDashboard();
    await setDestinations(page, "");
    await paste(forwardField(page), "Jonas <jonas@inbox.example>;\nmailto:rasa@inbox.example,");
    await expect.poll(() => destinationsIn(page)).toBe("jonas@inbox.example, rasa@inbox.example");
    await fillCreate(page, { alias: newName(), forwardTo: "Jonas <jonas@inbox.example>; nobody" });
    await seeFieldError(forwardField(page), aliasMessages.forwardToFormat);
    await createForm(page).getByText("“nobody” is neither an e-mail address nor a webhook.", { exact: true }).waitFor();
    expect(await destinationsIn(page)).toBe("jonas@inbox.example, nobody");
  });

  test("the error of a name or an address says which invisible character it contains", async () => {
    const { page } = await openDashboard();
    await fillCreate(page, { alias: "shop\u200B", forwardTo: "jonas\u00AD.s@inbox" });
    const named = (place: string, name: string) => `There is an invisible character after “${place}”: ${name}.`;
    await seeFieldError(nameField(page), `Invalid alias format. ${named("shop", "zero-width space (U+200B)")}`);
    await seeFieldError(
      forwardField(page),
      `${aliasMessages.forwardToFormat.replace(/\.$/, "")}. ${named("jonas", "soft hyphen (U+00AD)")}`,
    );
  });

  test("so does the error of the field for many aliases, and that of a field of several lines", async () => {
    const { page, person } = await openDashboard();
    const named = (place: string) => `There is an invisible character ${place}: zero-width space (U+200B).`;
    await person.createAlias({ forwardTo: inbox });
    await page.reload();
    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await page.getByRole("button", { name: "Forward to" }).click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("Forward to");
    await field.fill("jonas@inbox\u200B.example");
    await field.press("Enter");
    await seeFieldError(field, `${aliasMessages.forwardToFormat.replace(/\.$/, "")}. ${named("after “jonas@inbox”")}`);
    await field.fill("jonas@inbox");
    await field.press("Enter");
    await seeFieldError(field, aliasMessages.forwardToFormat);

    await page.goto("/compose");
    await page.getByLabel("To", { exact: true }).fill("rasa\u200B@inbox");
    await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
    const key = page.getByLabel("Recipient's Public Key");
    await key.fill("age1qq\u2800qq\nqq");
    await page.getByRole("button", { name: "Send Email" }).click();
    await seeFieldError(
      page.getByLabel("To", { exact: true }),
      `${emailJobMessages.toInvalid}. ${named("after “rasa”")}`,
    );
    await seeFieldError(
      key,
      `${emailJobMessages.publicKeyInvalid}. There is an invisible character after “age1qq”: Braille blank (U+2800).`,
    );
    await page.goto("/decrypt");
    await page.getByRole("tab", { name: "Manual Decrypt" }).click();
    const form = page.getByRole("form", { name: "Manual Decrypt" });
    const secret = form.getByLabel("Private Key");
    await secret.fill("AGE-SECRET-KEY-1QQ\u00ADQQ");
    await form.getByLabel("Encrypted Text").fill(await encryptedText("Labas", (await generateKeyPair()).publicKey));
    await form.getByRole("button", { name: "Decrypt Message" }).click();
    await seeFieldError(
      secret,
      "The private key is not valid. There is an invisible character in it: soft hyphen (U+00AD).",
    );
  });

  test("a mistyped domain of a mailbox is asked about once", async () => {
    const { page, person } = await openDashboard();
    const question = createForm(page).getByText("Did you mean jonas@gmail.com?");
    await fillCreate(page, { alias: newName(), forwardTo: "jonas@gmial.com" });
    await question.waitFor();
    await seeFocus(page.getByRole("button", { name: "Use It" }));
    await page.keyboard.press("Enter");
    await seeGone(question);
    await seeFocus(forwardField(page));
    expect(await destinationsIn(page)).toBe("jonas@gmail.com");
    await setDestinations(page, "jonas@gmial.com");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Keep jonas@gmial.com" }).click();
    await forwardField(page).press("Enter");
    await seeToast(page, "Alias Created");
    expect((await person.listAliases())[0]?.forwardTo).toBe("jonas@gmial.com");
  });

  test.runIf(isLongRun)(
    "an error appears while typing a name that the account has already, or a reserved one",
    async () => {
      const { page, person } = await openDashboard();
      const alias = newName();
      await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: inbox });
      await nameField(page).fill(alias.toUpperCase());
      await seeFieldError(nameField(page), `You already have ${alias.toUpperCase()}@kauke.test.`);
      await createForm(page).getByLabel("Domain", { exact: true }).selectOption("vejas.test");
      await seeGone(createForm(page).getByRole("alert"));
      await nameField(page).fill("postmaster");
      await seeFieldError(nameField(page), "The name postmaster is reserved.");
      await nameField(page).fill("postmasters-of-vilnius");
      await seeGone(createForm(page).getByRole("alert"));
      expect(await person.listAliases()).toHaveLength(1);
    },
  );

  test("a menu offers the account's destinations with their state, by mouse and by keys", async () => {
    const { page, person } = await openDashboard();
    await createAliasOnPage(page, { alias: newName(), domain: "kauke.test", forwardTo: "rasa@inbox.example" });
    const option = (name: string) => page.getByRole("option", { name: new RegExp(`^${name}`) });
    await createForm(page).getByRole("button", { name: "Your destinations" }).click();
    await seeFocus(forwardField(page));
    await page.getByRole("option", { name: `${person.email} Default, confirmed` }).click();
    expect(await destinationsIn(page)).toBe(`rasa@inbox.example, ${person.email}`);
    expect(await option("rasa@inbox.example").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await destinationsIn(page)).toBe("rasa@inbox.example");
    await page.keyboard.press("Escape");
    await seeGone(page.getByRole("listbox"));
    await page.keyboard.type(person.email.slice(0, 4));
    await option(person.email).waitFor();
    expect(await option("rasa@inbox.example").count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await destinationsIn(page)).toBe(`rasa@inbox.example, ${person.email}`);
  });

  test("a comma or Enter ends a destination, Backspace removes one, and a wrong one is marked", async () => {
    const { page, person } = await openDashboard();
    const token = (name: string) => createForm(page).getByRole("listitem").filter({ hasText: name });
    await forwardField(page).focus();
    await page.keyboard.type("nobody,");
    await token("nobody").and(page.locator(".is-wrong")).waitFor();
    await createForm(page).getByText("“nobody” is neither an e-mail address nor a webhook.").waitFor();
    await page.keyboard.press("Backspace");
    await seeGone(token("nobody"));
    await page.keyboard.type("https://hooks.example.org/mail");
    await page.keyboard.press("Enter");
    await token("https://hooks.example.org/mail").waitFor();
    expect(await forwardField(page).inputValue()).toBe("");
    await createForm(page)
      .getByRole("button", { name: `Remove ${person.email}` })
      .click();
    await seeFocus(forwardField(page));
    await nameField(page).fill(newName());
    await page.keyboard.press("Enter");
    await seeToast(page, "Alias Created");
    expect((await person.listAliases())[0]?.forwardTo).toBe("https://hooks.example.org/mail");
  });

  test("a generated name can be undone like typing", async () => {
    const { page } = await openDashboard();
    await nameField(page).focus();
    await page.keyboard.type("my-own-name");
    await page.keyboard.press("Alt+g");
    await expect.poll(() => nameField(page).inputValue()).toMatch(/^[b-z2-9]{14}$/);
    expect(await destinationsIn(page)).not.toBe("");
    await page.keyboard.press("ControlOrMeta+z");
    expect(await nameField(page).inputValue()).toBe("my-own-name");
  });

  test("the number of characters left describes the notes, whose name stays the same", async () => {
    const { page } = await openDashboard();
    const notes = createForm(page).getByRole("textbox", { name: "Notes", exact: true, description: "128 left" });
    await notes.fill("garden");
    await createForm(page).getByRole("textbox", { name: "Notes", exact: true, description: "122 left" }).waitFor();
  });
});

describe("creating too many", () => {
  const limited = runSite({ env: () => ({ KAUKE_LIMITS: "alias_create=2/3600" }) });

  test.runIf(isLongRun)("the third alias of an hour is refused with the time from which it works again", async () => {
    const person = await limited.person();
    const { page, expectRefusal } = await limited.visit({ as: person });
    expectRefusal(429, `/api/aliases/${person.user.id}`);
    await page.goto("/dashboard");
    for (const alias of ["limit-1", "limit-2"])
      await createAliasOnPage(page, { alias, domain: "kauke.test", forwardTo: inbox });
    await fillCreate(page, { alias: "limit-3" });
    const text = /^You have created too many aliases in a short time\. Try again after (?:\d+ \w+, )?\d{2}:\d{2}$/;
    await seeToast(page, "Rate Limit Exceeded", text);
    expect(await listedAddresses(page)).toEqual(["limit-2@kauke.test", "limit-1@kauke.test"]);
  });
});
