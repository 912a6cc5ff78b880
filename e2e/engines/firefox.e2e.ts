/** The main journeys in Firefox. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import { expect, onTestFinished, test } from "vitest";
import { multipartMessage, subjectOf } from "../mail/message.ts";
import { firefox } from "./firefox.ts";
import { openNewest, runJourneys, testFirstMail, testWithoutClipboardItem } from "./journeys.ts";
import type { EngineSite } from "./site.ts";

runJourneys(firefox, testFirstMail, (site) => {
  if (isLongRun) testWithoutClipboardItem(site);
  testPreconnect(site);
});

/** Tests preconnects of mail HTML in Firefox, because Chromium's headless shell never preconnects. */
function testPreconnect(site: EngineSite): void {
  test("opening a message in the preview connects to no other host, whatever its HTML asks for", async () => {
    const [sender, control] = [await startListener(), await startListener()];
    const person = await site.person();
    const { alias } = await person.createAlias({ forwardTo: "ona@inbox.example" });
    const message = multipartMessage(41, `<link rel="preconnect" href="${sender.url}">`);
    const mail = { port: site.server.mxPort, from: "parcels@shop.example", to: `${alias}@kauke.test`, message };
    expect((await sendMail(mail)).last).toMatch(/^250 /);
    const tab = await site.visit();
    await openNewest(site, tab, subjectOf(41));
    const shown = tab.driver.evaluate(`new Promise((resolve) => {
      new MutationObserver(() => {
        const frame = document.querySelector("iframe");
        frame?.addEventListener("load", () => resolve(true), { once: true });
      }).observe(document.body, { childList: true, subtree: true });
      setTimeout(resolve, 60_000, false);
    })`);
    await tab.click({ role: "tab", name: "HTML" });
    expect(await shown).toBe(true);
    // Control: a preconnect by the page itself arrives, since the page's Content Security Policy does not block it.
    await tab.driver.evaluate(
      `void document.head.append(Object.assign(document.createElement("link"), { rel: "preconnect", href: "${control.url}" }))`,
    );
    await expect.poll(control.connections).toBeGreaterThan(0);
    expect(sender.connections()).toBe(0);
  });
}

async function startListener(): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => {}).destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, connections: () => connections };
}
