/** Waits until a visit asks its server for nothing more, so that it can be signed out, cut off or its server stopped. */
import type { BrowserContext, Page, Request } from "playwright-core";
import { expect } from "vitest";

interface Traffic {
  inFlight: Set<Request>;
  begun: number;
}

/** Requests that last as long as their page, or outlive it. */
const lasting: ReadonlySet<string> = new Set(["/api/events", "/api/analytics"]);

const tracked = new WeakMap<BrowserContext, Traffic>();

/** Call this before the context's first page is opened. */
export function trackRequests(context: BrowserContext): void {
  const traffic: Traffic = { inFlight: new Set(), begun: 0 };
  tracked.set(context, traffic);
  context.on("request", (request) => {
    if (lasting.has(new URL(request.url()).pathname)) return;
    traffic.begun++;
    traffic.inFlight.add(request);
  });
  context.on("requestfinished", (request) => void traffic.inFlight.delete(request));
  context.on("requestfailed", (request) => void traffic.inFlight.delete(request));
}

function trafficOf(context: BrowserContext): Traffic {
  const traffic = tracked.get(context);
  if (traffic === undefined) throw new Error("the requests of this context are not tracked");
  return traffic;
}

export const inFlightIn = (context: BrowserContext): Request[] => [...trafficOf(context).inFlight];

/** Turns of the page in a row without a request, at least 50 ms each. */
const QUIET_TURNS = 8;

/** A task of the page: one that still evaluates code is late, so a slow machine waits longer. A set clock never holds it. */
const turn = `new Promise((done) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => done();
  port2.postMessage("");
}).then(() => {})`;

/** Waits until nothing is in flight, and until the page's code, even what is loaded late, asks for nothing more. */
export async function seeRequestsDone(page: Page): Promise<void> {
  const traffic = trafficOf(page.context());
  let turns = 0;
  let begunBefore = -1;
  const countTurns = async () => {
    await page.evaluate(turn).catch(() => {});
    const isQuiet = traffic.inFlight.size === 0 && traffic.begun === begunBefore;
    begunBefore = traffic.begun;
    turns = isQuiet ? turns + 1 : 0;
    return turns;
  };
  await expect.poll(countTurns).toBeGreaterThanOrEqual(QUIET_TURNS);
}

/** Waits for the ends of the requests that are in flight now, in whatever way they end. */
export async function seeEnd(context: BrowserContext): Promise<void> {
  const { inFlight } = trafficOf(context);
  const begun = inFlightIn(context);
  await expect.poll(() => begun.some((request) => inFlight.has(request))).toBe(false);
}
