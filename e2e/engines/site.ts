/**
 * A server, one engine and visits in it for a test file. Each visit has a profile of its own and must end without a
 * finding of the proxy between browser and server.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FakeDnsServer, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import type { Person } from "@kauke/testkit/person";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { heights, widths } from "../browser/browser.ts";
import { runSite, type Site } from "../browser/site.ts";
import type { Engine, EngineProgram } from "./driver.ts";
import { signInOnTab } from "./steps.ts";
import { openTab, type Tab } from "./tab.ts";
import { allReportedExpression, startWatchingProxy, type WatchingProxy } from "./watching-proxy.ts";

export interface EngineVisitOptions {
  /** Window width in CSS pixels; 1440 by default. */
  width?: number;
  /** Person who is signed in by the form before the visit begins. */
  as?: Person;
  /** Globals to remove, because an older version of the engine lacks them. */
  missingGlobals?: readonly string[];
}

export interface EngineVisit extends Tab {
  expectRefusal: WatchingProxy["expectRefusal"];
}

export interface EngineSite {
  readonly server: Site["server"];
  /** Which the server asks. */
  readonly dns: FakeDnsServer;
  person: Site["person"];
  visit(options?: EngineVisitOptions): Promise<EngineVisit>;
  /** Returns the findings so far; they no longer fail the visit. */
  takeFindings(): string[];
}

const failures = join(import.meta.dirname, "../.out/failures");

export function runEngineSite(program: EngineProgram): EngineSite {
  let proxy: WatchingProxy;
  let engine: Engine | undefined;
  let dns: FakeDnsServer;
  const site = runSite({
    env: async () => {
      proxy = await startWatchingProxy();
      dns = await startFakeDnsServer();
      // On a loaded machine more than the default time may pass before a journey presses Undo.
      return { KAUKE_PUBLIC_URL: proxy.origin, KAUKE_UNDO_SECONDS: "20", KAUKE_DNS_SERVERS: dns.address };
    },
  });
  beforeAll(async () => {
    proxy.target = new URL(site.server.url);
    engine = await program.start();
  });
  afterAll(async () => {
    await engine?.close();
    await proxy.close();
    await dns.close();
  });

  async function visit({ width = widths.desktop, as, missingGlobals = [] }: EngineVisitOptions = {}) {
    if (engine === undefined) throw new Error("the engine runs only while tests run");
    proxy.missingGlobals = missingGlobals;
    const driver = await engine.openDriver({ width, height: heights[width] ?? 800 });
    const tab = openTab(driver, proxy.origin);
    onTestFinished(async ({ task }) => {
      if (task.result?.state === "fail") await keepPicture(tab, `${program.name}-${task.name}`);
      await tab.until(allReportedExpression).catch(() => {});
      await driver.close();
      const findings = proxy.takeFindings();
      if (findings.length > 0) throw new Error(`the visit had findings:\n${findings.join("\n")}`);
    });
    if (as !== undefined) await signInOnTab(tab, as);
    return { ...tab, expectRefusal: proxy.expectRefusal };
  }

  return {
    get server() {
      return site.server;
    },
    get dns() {
      return dns;
    },
    person: site.person,
    visit,
    takeFindings: () => proxy.takeFindings(),
  };
}

async function keepPicture({ driver }: Tab, name: string): Promise<void> {
  await mkdir(failures, { recursive: true });
  const path = join(failures, `${name.replace(/[^\w]+/g, "-").slice(0, 80)}.png`);
  const picture = await driver.picture().catch(() => null);
  if (picture === null) return;
  await writeFile(path, picture);
  console.log(`Picture of the failure: ${path}`);
}
