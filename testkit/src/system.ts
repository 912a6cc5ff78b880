/**
 * The whole system in this process: real sockets, real database (in memory unless a directory or a PostgreSQL is given), fast
 * password hashing, and the outside world as told in `env` and `overrides`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@kauke/server/config-read";
import { argon2Hasher } from "@kauke/server/operate/workers/argon2-hasher";
import { type RunningServer, type StartOverrides, startServer } from "@kauke/server/start-server";
import { putEmptyDatabase } from "./empty-database.ts";
import { FakeMx } from "./fakes/fake-mx.ts";
import { type LogSpy, logSpy } from "./log-spy.ts";

export interface TestSystem {
  url: string;
  mxPort: number;
  submissionPort: number;
  submissionsPort: number;
  server: RunningServer;
  /** For `X-Preview-Token`; `null`: no preview inbox. */
  previewToken: string | null;
  log: LogSpy;
  close(): Promise<void>;
}

export interface SystemOptions {
  /** Settings as in the README's table; ports are chosen freely. */
  env?: Record<string, string>;
  overrides?: StartOverrides;
  /** Whether mailboxes are asked for confirmation and capped until then, as in the product. Off unless a test is about it. */
  confirmation?: boolean;
}

export async function startSystem({
  env = {},
  overrides = {},
  confirmation = false,
}: SystemOptions = {}): Promise<TestSystem> {
  const ports = ["HTTP", "MX", "SUBMISSION", "SUBMISSIONS"].map((name) => [`KAUKE_${name}_PORT`, "0"] as const);
  // Even with the store in memory the self-signed certificate wants a place.
  const dataDir = env.KAUKE_DATA_DIR ?? (await mkdtemp(join(tmpdir(), "kauke-system-")));
  // No test asks the real DNS: who tests authentication turns it on and brings a zone.
  const fixed = { KAUKE_DATA_DIR: dataDir, KAUKE_AUTHENTICATION: "off" };
  const settings = { ...Object.fromEntries(ports), ...fixed, ...env };
  const { config } = readConfig(settings, dataDir);
  const log = logSpy();
  const inMemory = env.KAUKE_DATA_DIR === undefined && env.DATABASE_URL === undefined;
  if (!inMemory) await putEmptyDatabase(dataDir, env);
  const server = await startServer(config, log, {
    hasher: argon2Hasher({ memoryKib: 64, passes: 1 }),
    asksForConfirmation: confirmation,
    ...overrides,
    // RSA keys cost a second a start; who tests signatures asks for them.
    store: { dkimDomains: [], ...(inMemory ? { dataDir: null } : {}), ...overrides.store },
  });
  return {
    url: `http://127.0.0.1:${server.ports.http}`,
    mxPort: server.ports.mx ?? 0,
    submissionPort: server.ports.submission ?? 0,
    submissionsPort: server.ports.submissions ?? 0,
    server,
    previewToken: server.previewToken,
    log,
    async close() {
      await server.close();
      if (env.KAUKE_DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface ForwardingSystem extends TestSystem {
  /** Every message that leaves goes there. */
  mx: FakeMx;
}

/** The system with one MX that takes whatever it sends, and without rate limits. `close` ends both. */
export async function startForwardingSystem({ env = {}, ...options }: SystemOptions = {}): Promise<ForwardingSystem> {
  const mx = await FakeMx.start();
  const relay = { KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`, KAUKE_LIMITS: "off" };
  const system = await startSystem({ ...options, env: { ...relay, ...env } });
  return {
    ...system,
    mx,
    async close() {
      await system.close();
      await mx.close();
    },
  };
}
