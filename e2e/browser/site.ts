/**
 * A server for one test file, and visits to it. Every visit must end without findings, whether or not its test checks,
 * and no personal data may be readable in the files that the server leaves. A picture of each failed test is kept in
 * e2e/.out/failures.
 */
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { makeDataDir, quickServer, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, inject, onTestFinished } from "vitest";
import { findLeaks } from "../mail/leak-scan.ts";
import { openVisit, type Visit, type VisitOptions } from "./browser.ts";
import { freeAddress } from "./free-address.ts";
import { password } from "./steps.ts";

export interface Site {
  readonly server: ServerProcess;
  /** A new profile of the browser; at the end of the test it is closed and checked for findings. */
  visit(options?: VisitOptions): Promise<Visit>;
  /** A new person with an account, made through the API. */
  person(email?: string): Promise<Person>;
  /** Stops the server and starts it again on the same port and data. Open visits may ask for something meanwhile. */
  restart(): Promise<void>;
}

export interface SiteOptions {
  /** Settings besides the ports, read when the server starts. Limits are off unless set. */
  env?: () => Record<string, string> | Promise<Record<string, string>>;
  /** Whether pages may move in all visits; see `VisitOptions`. */
  moves?: boolean;
}

/** Endings of the addresses of all accounts and destinations in the journeys, and of accounts' own domains. */
const personalEndings = ["@people.example", "@inbox.example", "@home.example", "@example.org", "-owned.example"];

/** Starts a server for the tests of a file or of a `describe`, at whose top it must be called. */
export function runSite({ env = () => ({}), moves }: SiteOptions = {}): Site {
  let server: ServerProcess | null = null;
  let dataDir: string | null = null;
  let settings: Record<string, string> = {};
  let earlierOutput = "";
  const open = new Set<Visit>();
  const running = () => {
    if (server === null) throw new Error("the server runs only while tests run");
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
    if (leaks.length > 0) throw new Error(`personal data is readable in the server's files: ${JSON.stringify(leaks)}`);
  });

  return {
    get server() {
      return running();
    },
    async visit(options) {
      const previewToken = await running()
        .previewToken()
        .catch(() => null);
      const visit = await openVisit(running().url, { previewToken, moves, ...options });
      open.add(visit);
      onTestFinished(({ task }) => {
        open.delete(visit);
        return endVisit(visit, { name: task.name, failed: task.result?.state === "fail" });
      });
      return visit;
    },
    async person(email) {
      if (email !== undefined) await freeAddress(running().url, { email, password });
      return registerPerson(running().url, email);
    },
    async restart() {
      const { dataDir: kept, httpPort, mxPort, stop, output } = running();
      const started = [...open].map((visit) => visit.expectNoServer());
      await stop();
      earlierOutput += output();
      server = await start(kept, { KAUKE_HTTP_PORT: String(httpPort), KAUKE_MX_PORT: String(mxPort) });
      await Promise.all(started.map((expectServer) => expectServer()));
    },
  };
}

async function stopAndFindLeaks(server: ServerProcess, earlierOutput: string) {
  await server.stop();
  return findLeaks(personalEndings, server.dataDir, earlierOutput + server.output());
}

async function freshDataDir(isEmpty: boolean): Promise<string> {
  const dataDir = await makeDataDir();
  // A server that took too long to shut down leaves its control socket, which can't be copied.
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
