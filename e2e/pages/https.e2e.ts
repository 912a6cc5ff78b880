/** The web app from its own https listener, with a self-signed certificate that the visitor accepts. */
import { expect, test } from "vitest";
import { runSite } from "../browser/site.ts";
import { createAliasOnPage, listedAddresses, registerOnPage } from "../browser/steps.ts";

const site = runSite({ env: () => ({ KAUKE_HTTPS: "on", KAUKE_HTTPS_PORT: "0" }) });

test("a person who opens the http address registers and creates an alias by https, over HTTP/2", async () => {
  const { page, origin, context, expectVisitTo } = await site.visit();
  expectVisitTo(`http://localhost:${site.server.httpPort}`);
  await page.goto(`http://localhost:${site.server.httpPort}/home`);
  expect(page.url()).toBe(`${origin}/home`);
  await registerOnPage(page, "jonas@people.example");
  await createAliasOnPage(page, { alias: "by-https", domain: "kauke.test", forwardTo: "jonas@inbox.example" });
  expect(await listedAddresses(page)).toContain("by-https@kauke.test");
  const protocols = await page.evaluate<string[]>(
    "[...new Set(performance.getEntries().flatMap((one) => one.nextHopProtocol || []))]",
  );
  expect(protocols).toEqual(["h2"]);
  const cookies = await context.cookies();
  expect(cookies.find(({ name }) => name === "__Host-sid")).toMatchObject({ secure: true, httpOnly: true });
});
