/** Journeys of what forgives: undo, drafts, changes made elsewhere, and the choice of a language. */
import { expect, test } from "vitest";
import german from "../../apps/web/src/texts/de/common.json" with { type: "json" };
import { widths } from "../browser/browser.ts";
import type { ElementQuery } from "./finder.ts";
import { button, field, heading, text } from "./queries.ts";
import type { EngineSite } from "./site.ts";

export function testUndo(site: EngineSite): void {
  test("an alias is paused, and deleted by keys; both are undone", async () => {
    const person = await site.person();
    await person.createAlias({ alias: "engine-undo", forwardTo: "jonas@inbox.example" });
    const row: ElementQuery = { role: "switch", name: "engine-undo@kauke.test forwards mail" };
    const isOn = `document.querySelector("[role=switch][aria-label='engine-undo@kauke.test forwards mail']")?.ariaChecked === "true"`;
    const tab = await site.visit({ as: person });
    await tab.click(row);
    await tab.see(button("Undo: Alias Paused"));
    await tab.until(`!(${isOn})`);
    await tab.press("Control", "z");
    await tab.until(isOn);
    await tab.press("j");
    await tab.type("#");
    await tab.see(button("Undo: Alias Deleted"));
    await tab.seeGone(row);
    await tab.press("Control", "z");
    await tab.see(row);
    expect((await person.listAliases())[0]).toMatchObject({ active: true });
  });
}

export function testDrafts(site: EngineSite): void {
  test("a letter and its recipients survive leaving the page", async () => {
    const person = await site.person();
    const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    expect((await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id })).status).toBe(201);
    const tab = await site.visit({ as: person, width: widths.phone });
    await tab.open("/compose");
    await tab.fill(field("To"), "rasa@outside.example");
    await tab.fill(field("Subject"), "Kept");
    await tab.fill(field("Message"), "Labas, Rasa\nJonas");
    await tab.see(text(/^Draft saved \d\d:\d\d$/));
    await tab.open("/about");
    await tab.open("/compose");
    await tab.see(button("Remove rasa@outside.example"));
    expect(await tab.value(field("Subject"))).toBe("Kept");
    expect(await tab.value(field("Message"))).toBe("Labas, Rasa\nJonas");
  });
}

export function testLive(site: EngineSite): void {
  test("an alias made by another program shows by itself", async () => {
    const person = await site.person();
    const tab = await site.visit({ as: person });
    await tab.see(text("No aliases yet"));
    await person.createAlias({ alias: "engine-live", forwardTo: "jonas@inbox.example" });
    await tab.see({ role: "switch", name: "engine-live@kauke.test forwards mail" });
  });
}

export function testLanguage(site: EngineSite): void {
  test("a language chosen in Settings stays, and what was typed too", async () => {
    const person = await site.person();
    await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const tab = await site.visit({ as: person });
    await tab.open("/settings/account");
    await tab.click(text("Deutsch"));
    await tab.until("document.documentElement.lang === 'de'");
    await tab.open("/dashboard");
    await tab.see(heading(german["Email Forwarding"]));
    await tab.open("/about");
    await tab.until("document.documentElement.lang === 'de'");
  });
}
