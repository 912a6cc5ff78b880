/**
 * The app can be used by keyboard alone, nothing covers a control, and the checks of every screen (look-at-screens.ts)
 * find planted faults.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import { personas } from "@kauke/testkit/personas";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openVisit, widths } from "../browser/browser.ts";
import { seeFocus, seeGone, seeHeading, seeLive, seeToast, seeUndo } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { createForm, password } from "../browser/steps.ts";
import { axeFindings, sidewaysOverflow } from "./axe.ts";
import { tabTo } from "./keyboard-walk.ts";

const site = runSite();
beforeAll(() => personas.some.create(site.server.url));

const NARROWEST_PX = 320;
test("the feedback button covers no control of the dashboard, on a wide or narrow window", async () => {
  const { page, context } = await site.visit();
  const { email, password: word } = personas.some;
  await context.request.post("/api/auth/login", { data: { email, password: word } });
  await page.goto("/dashboard");
  await page.getByRole("switch").first().waitFor();
  const feedback = page.getByRole("button", { name: "Feedback" });
  for (const width of [NARROWEST_PX, widths.phone, 768, 1024, widths.desktop]) {
    await page.setViewportSize({ width, height: 800 });
    // The feedback button keeps its place in the window while the page scrolls beneath it. It can't cover a control
    // whose right edge is to the left of it, whatever the scroll position.
    const edges = (await page.evaluate(`[...document.querySelectorAll("main :is(button, input, select, a)")]
      .map((it) => it.getBoundingClientRect().right)`)) as number[];
    expect(edges.length).toBeGreaterThan(20);
    expect({ width, left: (await feedback.boundingBox())?.x }).toSatisfy(
      ({ left }: { left: number }) => left >= Math.max(...edges),
    );
  }
});

describe("control: the checks of screens", () => {
  test("axe finds planted faults: a picture without alternative text and text of too little contrast", async () => {
    const visit = await openVisit(site.server.url);
    onTestFinished(() => visit.close());
    await visit.page.goto("/about");
    await seeHeading(visit.page, "About");
    await seeLive(visit.page);
    await visit.page.evaluate(`document.querySelector("main").append(
      Object.assign(document.createElement("img"), { src: "/favicon.svg" }),
      Object.assign(document.createElement("p"), { textContent: "Hardly to be seen" }),
    )`);
    await visit.page.evaluate(`document.querySelector("main p:last-child").style.color = "rgb(235, 235, 235)"`);
    const rules = (await axeFindings(visit)).map((line) => line.split(":", 1)[0]);
    expect(new Set(rules)).toEqual(new Set(["critical image-alt", "serious color-contrast"]));
  });

  test("an element that sticks out of the window is found", async () => {
    const visit = await site.visit({ width: NARROWEST_PX });
    await visit.page.goto("/about");
    await seeHeading(visit.page, "About");
    await seeLive(visit.page);
    await visit.page.evaluate(`document.querySelector("main").append(document.createElement("hr"))`);
    await visit.page.evaluate(`document.querySelector("main hr").style.width = "400px"`);
    expect((await sidewaysOverflow(visit)).length).toBeGreaterThan(0);
  });
});

describe("by keyboard alone", () => {
  test("a person registers, creates an alias, changes it and deletes it", async () => {
    const { page } = await site.visit();
    await page.goto("/register");
    await tabTo(page, page.getByLabel("Email"));
    await page.keyboard.type("keys@people.example");
    await tabTo(page, page.getByLabel(/^Password/));
    await page.keyboard.type(password);
    await tabTo(page, page.getByLabel("Confirm password"));
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await seeHeading(page, "Email Forwarding");

    const form = createForm(page);
    await tabTo(page, form.getByLabel("Alias name and domain"));
    await page.keyboard.type("by-keys");
    await tabTo(page, form.getByLabel("Domain", { exact: true }));
    await page.keyboard.type("tyla");
    await tabTo(page, form.getByLabel("Forward to"));
    await page.keyboard.type("keys@inbox.example");
    await tabTo(page, form.getByRole("button", { name: "Create Alias" }));
    await page.keyboard.press("Space");
    await seeToast(page, "Alias Created");
    await seeFocus(form.getByLabel("Alias name and domain"));

    await tabTo(page, page.getByRole("switch", { name: "by-keys@tyla.test forwards mail" }));
    await page.keyboard.press("Space");
    await seeUndo(page, "Alias Paused");

    await tabTo(page, page.getByRole("button", { name: "Edit by-keys@tyla.test" }));
    await page.keyboard.press("Enter");
    await seeFocus(page.getByRole("row").getByRole("textbox", { name: "Forward to", exact: true }));
    await page.keyboard.press("Shift+Tab");
    await seeFocus(page.getByRole("button", { name: "Rename by-keys@tyla.test" }));
    await page.keyboard.press("Enter");
    await seeFocus(page.getByRole("dialog").getByLabel("Alias name"));
    await page.keyboard.press("End");
    await page.keyboard.type("-only");
    await page.keyboard.press("Enter");
    await page.getByRole("row").getByText("by-keys-only@tyla.test").waitFor();
    await seeFocus(page.getByRole("button", { name: "Rename by-keys-only@tyla.test" }));
    await tabTo(page, page.getByRole("row").getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Enter");
    await seeFocus(page.getByRole("button", { name: "Edit by-keys-only@tyla.test" }));

    await tabTo(page, page.getByRole("button", { name: "Delete by-keys-only@tyla.test" }));
    await page.keyboard.press("Enter");
    await page.getByText("No aliases yet", { exact: true }).waitFor();
    expect(await page.evaluate("document.activeElement !== document.body")).toBe(true);
  });

  test("a person writes from an alias, sends, and undoes it", async () => {
    const person = await site.person();
    const { id: aliasId } = await person.createAlias({ forwardTo: "keys@inbox.example" });
    await person.call("POST", "/api/smtp-credentials", { aliasId });
    const { page } = await site.visit({ as: person });
    await page.goto("/compose");
    const from = page.getByLabel("From");
    await expect.poll(() => from.inputValue()).toBe(aliasId);
    await tabTo(page, from);
    // The stops of the Tab key, in reading order.
    const typed = { To: "rasa@outside.example", Subject: "By keys", Message: "Labas" };
    for (const [name, text] of Object.entries(typed)) {
      await page.keyboard.press("Tab");
      await seeFocus(page.getByLabel(name, { exact: true }));
      await page.keyboard.type(text);
      for (const other of name === "To" ? ["Cc", "Bcc"] : []) {
        await page.keyboard.press("Tab");
        await seeFocus(page.getByRole("button", { name: other, exact: true }));
      }
    }
    const acts = [
      page.getByRole("button", { name: "Attach Files" }),
      page.getByRole("switch", { name: "Enable End-to-End Encryption" }),
      ...["Reset", "Later…", "Send Email"].map((name) => page.getByRole("button", { name })),
    ];
    for (const act of acts) {
      await page.keyboard.press("Tab");
      await seeFocus(act);
    }
    await page.keyboard.press("Enter");
    await seeToast(page, "Email queued");
    await seeFocus(page.getByRole("region", { name: /^On its way to/ }));
    await page.keyboard.press("F8");
    await tabTo(page, page.getByRole("button", { name: "Undo", exact: true }));
    await page.keyboard.press("Enter");
    await seeToast(page, "Email sending cancelled");

    // After Undo the message is in the form again, unchanged.
    const subject = page.getByLabel("Subject");
    await expect.poll(() => subject.inputValue()).toBe(typed.Subject);
    await subject.focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Enter");
    await page.getByText("Subject is required").waitFor();
    await seeFocus(subject);
  });

  test.runIf(isLongRun)("a person creates an encryption key, and deletes it", async () => {
    const { page } = await site.visit({ as: await site.person() });
    await page.goto("/settings");
    const opener = page.getByRole("button", { name: "Create Key" });
    await page.getByText("No encryption keys yet").waitFor();
    await tabTo(page, opener);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await seeFocus(dialog.getByLabel("Key name"));
    await page.keyboard.type("By keys");
    await tabTo(page, dialog.getByLabel("Master password"));
    await page.keyboard.type("six words of mine");
    await tabTo(page, dialog.getByLabel("Type it again"));
    await page.keyboard.type("six words of mine");
    await tabTo(page, dialog.getByRole("switch", { name: "Post-quantum" }));
    await tabTo(page, dialog.getByLabel("Key name"), "Shift+Tab");
    await page.keyboard.press("Enter");
    await seeFocus(
      page.getByRole("dialog", { name: "Key created" }).getByRole("button", { name: "Download a backup" }),
    );
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Done" }), "Shift+Tab");
    await page.keyboard.press("Enter");
    await seeGone(page.getByRole("dialog"));
    await seeFocus(opener);

    await tabTo(page, page.getByRole("button", { name: "Download By keys" }));
    await page.keyboard.press("Enter");
    const download = page.getByRole("dialog", { name: "Download key" });
    await seeFocus(download.getByRole("radio").first());
    await page.keyboard.press("ArrowDown");
    await tabTo(page, download.getByLabel("Master password"));
    await tabTo(page, download.getByRole("button", { name: "Cancel" }));
    await page.keyboard.press("Enter");
    await seeFocus(page.getByRole("button", { name: "Download By keys" }));

    await tabTo(page, page.getByRole("button", { name: "Delete By keys" }));
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByLabel("Type By keys to confirm").waitFor();
    await tabTo(page, page.getByRole("dialog").getByLabel("Type By keys to confirm"));
    await page.keyboard.type("By keys");
    await tabTo(page, page.getByRole("dialog").getByRole("button", { name: "Delete Key" }));
    await page.keyboard.press("Enter");
    await page.getByText("No encryption keys yet").waitFor();
  });

  test("the first stop skips the navigation and leads to the content", async () => {
    const { page } = await site.visit({ as: await site.person() });
    await page.goto("/dashboard");
    await seeHeading(page, "Email Forwarding");
    await page.keyboard.press("Tab");
    await seeFocus(page.getByRole("link", { name: "Skip to content" }));
    await page.keyboard.press("Enter");
    await tabTo(page, createForm(page).getByLabel("Alias name and domain"));
  });

  test("an open dialog keeps the focus, and returns it to where it came from", async () => {
    const visit = await site.visit();
    const { page } = visit;
    const { email } = personas.some;
    const signIn = { email, password: personas.some.password };
    await visit.context.request.post("/api/auth/login", { data: signIn });
    await page.goto("/dashboard");
    const opener = page.getByRole("button", { name: "Delete Account" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    for (let stops = 0; stops < 8; stops++) {
      await page.keyboard.press("Tab");
      const isOutside = "document.activeElement !== document.body && !document.activeElement.closest('[role=dialog]')";
      expect(await page.evaluate(isOutside)).toBe(false);
    }
    await page.keyboard.press("Escape");
    await seeGone(dialog);
    await seeFocus(opener);
  });
});
