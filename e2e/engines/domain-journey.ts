/** An own domain in other engines: copying a record, and a check that finds them all. */
import type { AccountDomainWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { listedDomain, publishIn, zoneOf } from "../account/own-domain.ts";
import { button, dialog, field, heading, main, text, toast } from "./queries.ts";
import type { EngineSite } from "./site.ts";

export function testOwnDomain(site: EngineSite): void {
  test("an own domain is added, a record copied, and the domain works once its records are found", async () => {
    const domain = "engine-owned.example";
    const person = await site.person();
    const tab = await site.visit({ as: person });
    await tab.open("/settings/domains");
    await tab.see(text("No own domains yet"));
    await tab.click(button("Add Domain", main));
    const form = dialog("Add domain");
    await tab.seeFocus(field("Domain", form));
    await tab.type(domain);
    await tab.press("Enter");
    await tab.see(toast("Domain Added"));
    await tab.see(heading(domain));
    const wanted: AccountDomainWire = await listedDomain(person, domain);
    await tab.click(button("Copy the value of Ownership"));
    await tab.see(toast("Copied to clipboard"));

    publishIn(site.dns.zone, domain, zoneOf(wanted));
    await tab.click(button(`Check Now: ${domain}`));
    await tab.see(toast("Domain Works"));
    expect((await listedDomain(person, domain)).state).toBe("proven");
    await tab.click(button("Add Domain", main));
    await tab.click(field("Domain", form));
    await tab.press("Control", "v");
    expect(await tab.value(field("Domain", form))).toBe(wanted.records[0]?.value);
    await tab.press("Escape");
    await tab.seeGone(form);
    await tab.seeFocus(button("Add Domain", main));
  });
}
