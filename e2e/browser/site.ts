/**
 * A server of its own for a test file, and visits to it. Every visit must end clean, whether its test says so or not, and nothing
 * personal may be readable in what the server leaves behind. Of a test that fails a picture is kept in e2e/.out/failures.
 */
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { makeDataDir, quickServer, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, inject, onTestFinished } from "vitest";
import { findLeaks } from "../mail/leak-scan.ts";
import { openVisit, type Visit, type VisitOptions } from "./browser.ts";

export interface Site {
  readonly server: ServerProcess;
  /** A new profile of the browser; closed, and checked to be clean, when the test is over. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** Somebody new with an account, made through the API. */
  person(email?: string): Promise<Person>;
  /** Stops the server and starts it again on the same port and data. */
  restart(): Promise<void>;
}

export interface SiteOptions {
  /** Settings beside the ports; asked when the server starts. Limits are off unless set. */
  env?: () => Record<string, string> | Promise<Record<string, string>>;
}

/** Every account and every destination of the journeys has an address that ends in one of these. */
const personalEndings = ["@people.example", "@inbox.example", "@example.org"];

/** Call it at the top of a file or of a describe: the server runs while its tests do. */
export function runSite({ env = () => ({}) }: SiteOptions = {}): Site {
  let server: ServerProcess | null = null;
  let dataDir: string | null = null;
  let settings: Record<string, string> = {};
  let earlierOutput = "";
  const running = () => {
    if (server === null) throw new Error("the server runs inside tests only");
    return server;
  };
  const start = (dataDir: string, more: Record<string, string> = {}) =>
    startServerProcess({
      dataDir,
      env: { KAUKE_LIMITS: "off", ...settings, ...more },
      readyTimeoutMs: 120_000,
      program: quickServer,
    });

  beforeAll(async () => {
    settings = await env();
    dataDir = await freshDataDir("DATABASE_URL" in settings);
    server = await start(dataDir);
  });
  afterAll(async () => {
    const leaks = server === null ? [] : await stopAndFindLeaks(server, earlierOutput);
    if (dataDir !== null) await rm(dataDir, { recursive: true, force: true });
    if (leaks.length > 0) throw new Error(`what the server wrote can be read: ${JSON.stringify(leaks)}`);
  });

  return {
    get server() {
      return running();
    },
    async visit(options) {
      const previewToken = await running()
        .previewToken()
        .catch(() => null);
      const visit = await openVisit(running().url, { previewToken, ...options });
      onTestFinished(({ task }) => endVisit(visit, { name: task.name, failed: task.result?.state === "fail" }));
      return visit;
    },
    person: (email) => registerPerson(running().url, email),
    async restart() {
      const { dataDir: kept, httpPort, mxPort, stop, output } = running();
      await stop();
      earlierOutput += output();
      server = await start(kept, { KAUKE_HTTP_PORT: String(httpPort), KAUKE_MX_PORT: String(mxPort) });
    },
  };
}

async function stopAndFindLeaks(server: ServerProcess, earlierOutput: string) {
  await server.stop();
  return findLeaks(personalEndings, server.dataDir, earlierOutput + server.output());
}

async function freshDataDir(isEmpty: boolean): Promise<string> {
  const dataDir = await makeDataDir();
  // A server that took too long to close leaves its control socket, which can't be copied.
  const filter = (path: string) => !path.endsWith(".sock");
  if (!isEmpty) await cp(inject("initialDataDir"), dataDir, { recursive: true, filter });
  return dataDir;
}

async function endVisit(visit: Visit, test: { name: string; failed: boolean }): Promise<void> {
  try {
    if (test.failed) await keepPicture(visit, test.name);
    await visit.expectClean();
  } finally {
    await visit.close();
  }
}

async function keepPicture({ page }: Visit, name: string): Promise<void> {
  const folder = join(import.meta.dirname, "../.out/failures");
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name.replace(/[^\w]+/g, "-").slice(0, 80)}.png`);
  await page.screenshot({ path, fullPage: true }).catch(() => {});
  console.log(`Picture of the failure: ${path}`);
}
