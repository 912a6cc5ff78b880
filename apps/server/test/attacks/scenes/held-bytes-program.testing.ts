/**
 * Listeners and clients of ours in a process of their own, which says how much memory it holds after a garbage
 * collection. Started by `held-bytes.testing.ts` with `--expose-gc`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { SocketGuard } from "@kauke/server/http/socket-guard";
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { accept } from "@kauke/server/mail/reply";
import { SmtpServer, type SmtpServerOptions } from "@kauke/server/mail/smtp/smtp-server";
import { parseAllowList } from "@kauke/server/mail/transport/address-guard";
import { guardedGet } from "@kauke/server/mail/transport/guarded-get";
import { ongoingAttempt } from "@kauke/server/mail/transport/outgoing-mail.testing";
import { SmtpChannel } from "@kauke/server/mail/transport/smtp-client/smtp-channel";
import { fetchStsPolicy } from "@kauke/server/mail/transport/sts-policies";
import { createWebhookTransport } from "@kauke/server/mail/transport/webhook/webhook-transport";
import { openIdIssuer } from "@kauke/server/platform/openid-issuer";
import { systemClock } from "@kauke/server/runtime/ports";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { startSystem } from "@kauke/testkit/system";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";

export interface HeldPorts {
  /** The whole web server. */
  web: number;
  /** A web server whose requests nobody reads or answers. */
  unread: number;
  /** SMTP servers whose RCPT is never answered: with STARTTLS, and with TLS from the first byte. */
  smtp: number;
  smtps: number;
}

export type HeldClient = "policy" | "import" | "webhook" | "issuer" | "smtp";
export type HeldRequest = { measure: "held" | "processor" } | { client: HeldClient; port: number; times: number };

const never = new Promise<never>(() => {});
const metrics = { count() {}, gauge() {} };

async function startSmtp(isImplicit: boolean): Promise<number> {
  const options: SmtpServerOptions = {
    listener: { host: "127.0.0.1", port: 0, sharePort: false },
    mailHost: "mail.kauke.test",
    maxMessageBytes: 10_000_000,
    budget: new MemoryBudget(1_000_000_000),
    tls: { context: () => createSecureContext({ key: testKey, cert: testCertificate }), isImplicit },
    limits: { maxConnections: 1000, maxConnectionsPerAddress: 1000, maxBytesPerAddress: 1_000_000_000 },
    metrics,
    handlers: {
      resolve: async ({ canonical }) =>
        canonical.startsWith("busy@") ? never : accept({ kind: "operator", address: canonical }),
      receive: () => never,
    },
  };
  return new SmtpServer(options).listen();
}

const resolver = createFakeDns({ "mta-sts.example.test": { a: ["127.0.0.1"] }, "peer.example": { a: ["127.0.0.1"] } });
const allow = parseAllowList(["mta-sts.example.test", "peer.example"]);

const clients: Readonly<Record<HeldClient, (port: number) => Promise<unknown>>> = {
  policy: (port) => fetchStsPolicy("example.test", { resolver, allow, port, ca: testCertificate, deadlineMs: 600_000 }),
  // The response is not read: an import that waits for the database reads nothing for a while either.
  import: (port) =>
    guardedGet({ resolver, allow }).get({
      url: new URL(`http://peer.example:${port}/`),
      headers: {},
      totalMs: 600_000,
    }),
  webhook: (port) =>
    createWebhookTransport({ resolver, allow }).post(
      { url: `http://peer.example:${port}/`, id: "1", secret: Buffer.from("secret"), body: Buffer.from("{}") },
      ongoingAttempt(),
    ),
  issuer: (port) => {
    const settings = { issuer: `http://127.0.0.1:${port}`, clientId: "kauke", clientSecret: "secret" };
    const issuer = openIdIssuer(settings as never, { clock: systemClock, timeoutSeconds: 600 });
    return issuer.authorizationUrl({
      state: "s",
      nonce: "n",
      verifier: "v",
      redirectUri: "http://localhost/",
    } as never);
  },
  smtp: async (port) => {
    const channel = await SmtpChannel.open({ host: "127.0.0.1", port, tls: null }, 600_000);
    kept.push(channel);
    await channel.reply(600_000);
    channel.write("EHLO kauke.test\r\n");
  },
};
const kept: unknown[] = [];

const system = await startSystem({
  env: { KAUKE_LIMITS: "off", KAUKE_DATA_DIR: process.argv[2] ?? "" },
});
const unread = new SocketGuard({ hasShares: false, isTrustedProxy: () => false }).createServer(() => {});
await new Promise<void>((resolve) => unread.listen(0, "127.0.0.1", resolve));
const ports: HeldPorts = {
  web: Number(new URL(system.url).port),
  unread: (unread.address() as { port: number }).port,
  smtp: await startSmtp(false),
  smtps: await startSmtp(true),
};
process.send?.(ports);

/** Waits until this process has nothing to do, i.e. has read what was sent to it. */
async function idle(): Promise<void> {
  for (let busy = 1; busy > 0.25; ) {
    const before = performance.eventLoopUtilization();
    await sleep(60);
    busy = performance.eventLoopUtilization(before).utilization;
  }
}

async function measured(what: "held" | "processor"): Promise<number> {
  await idle();
  if (what === "processor") return process.threadCpuUsage().user / 1000 + process.threadCpuUsage().system / 1000;
  for (let round = 0; round < 2; round++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", (request: HeldRequest) => {
  if ("measure" in request) return void measured(request.measure).then((bytes) => process.send?.(bytes));
  for (let count = 0; count < request.times; count++)
    void clients[request.client](request.port).then(
      (result) => kept.push(result),
      () => {},
    );
});
process.once("disconnect", () => process.exit());
