/**
 * Runs the whole system in this process: real sockets, a real database (in memory unless a directory or PostgreSQL is
 * given), fast password hashing, and an outside world defined by `env` and `overrides`.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningServer, type StartOverrides, start } from "@kauke/server/app";
import { limitNames } from "@kauke/server/limits/named-limits";
import { argon2Hasher } from "@kauke/server/platform/workers/argon2-hasher";
import { readConfig } from "@kauke/server/settings/read-config";
import { putEmptyDatabase } from "./empty-database.ts";
import { type LogSpy, logSpy } from "./log-spy.ts";
import { closeProviders, providerSettings } from "./provider-run.ts";

export interface TestSystem {
  url: string;
  httpsPort: number;
  mxPort: number;
  submissionPort: number;
  submissionsPort: number;
  pop3sPort: number;
  server: RunningServer;
  /** Token for `X-Preview-Token`; `null` when there is no preview inbox. */
  previewToken: string | null;
  log: LogSpy;
  close(): Promise<void>;
}

export interface SystemOptions {
  /** Settings as in docs/settings.md; free ports are chosen. */
  env?: Record<string, string>;
  overrides?: StartOverrides;
  /** Whether mailboxes must be confirmed and are limited until then, as in the product. Off by default. */
  confirmation?: boolean;
}

/** Settings of a system that sends all messages to `mx` and has no rate limits. */
export const relayTo = (mx: { port: number }) => ({
  KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`,
  KAUKE_LIMITS: "off",
});

export async function startSystem({
  env: given = {},
  overrides = {},
  confirmation = false,
}: SystemOptions = {}): Promise<TestSystem> {
  const ports = ["HTTP", "MX", "SUBMISSION", "SUBMISSIONS", "POP3S"].map(
    (name) => [`KAUKE_${name}_PORT`, "0"] as const,
  );
  // The server stores its self-signed certificate in the data directory, so every system gets such a directory, even
  // with its database in memory.
  const dataDir = given.KAUKE_DATA_DIR ?? (await mkdtemp(join(tmpdir(), "kauke-system-")));
  const env = { ...given, ...(await providerSettings(dataDir, given)) };
  // No test queries the real DNS: a test of authentication turns it on and supplies a zone.
  const fixed = { KAUKE_DATA_DIR: dataDir, KAUKE_AUTHENTICATION: "off" };
  const settings = { ...Object.fromEntries(ports), ...fixed, ...env };
  const { config } = readConfig(settings, dataDir, limitNames);
  const log = logSpy();
  const inMemory = env.KAUKE_DATA_DIR === undefined && env.DATABASE_URL === undefined;
  if (!inMemory) await putEmptyDatabase(dataDir, env);
  const server = await start(config, log, {
    hasher: argon2Hasher({ memoryKib: 64, passes: 1 }),
    asksForConfirmation: confirmation,
    ...overrides,
    // Generating RSA keys takes a second per start, so only tests of signatures request them.
    store: { dkimDomains: [], ...(inMemory ? { dataDir: null } : {}), ...overrides.store },
  });
  return {
    url: `http://127.0.0.1:${server.ports.http}`,
    httpsPort: server.ports.https ?? 0,
    mxPort: server.ports.mx ?? 0,
    submissionPort: server.ports.submission ?? 0,
    submissionsPort: server.ports.submissions ?? 0,
    pop3sPort: server.ports.pop3s ?? 0,
    server,
    previewToken: server.previewToken,
    log,
    async close() {
      await server.close();
      if (env.KAUKE_DATA_DIR !== undefined) return;
      await closeProviders(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
