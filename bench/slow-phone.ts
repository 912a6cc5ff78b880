/** How the benchmarks of pages simulate a slow phone of a signed-in person. */
import type { Person } from "@kauke/testkit/person";
import type { BrowserContext, Page } from "playwright-core";

export const SLOWDOWN = 4;
/** Chrome's definition of "Slow 4G": bytes per second in each direction, and latency per request in milliseconds. */
export const slow4g = { downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5, offline: false };
export const phone = { width: 390, height: 844 };

export async function slowDown(
  context: BrowserContext,
  page: Page,
  { rate, network }: { rate: number; network?: typeof slow4g },
): Promise<void> {
  const debug = await context.newCDPSession(page);
  await debug.send("Emulation.setCPUThrottlingRate", { rate });
  if (network === undefined) return;
  await debug.send("Network.enable");
  await debug.send("Network.emulateNetworkConditions", network);
}

export async function signIn(context: BrowserContext, { url, person }: { url: string; person: Person }): Promise<void> {
  const [name = "", value = ""] = person.cookie.split("=");
  await context.addCookies([{ name, value, url }]);
}
