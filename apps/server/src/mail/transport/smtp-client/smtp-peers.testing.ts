/** Peers for tests of the SMTP client, the messages it sends to them, and the outcome in one line. */
import { createServer, type Socket } from "node:net";
import { stuff } from "@kauke/mail-rfc";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeMx, type FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { ongoingAttempt, outgoingMail } from "../outgoing-mail.testing.ts";
import type { OutgoingMail } from "../transport.ts";
import { openSmtp, type SmtpClientOptions, type SmtpPeer } from "./smtp-client.ts";
import type { SmtpConnection } from "./smtp-connection.ts";

export const peer = ({ port }: { port: number }, changes: Partial<SmtpPeer> = {}): SmtpPeer => ({
  host: "127.0.0.1",
  port,
  name: "localhost",
  tls: "opportunistic",
  isVerified: false,
  login: null,
  ...changes,
});
export const client: SmtpClientOptions = { mailHost: "mail.kauke.test" };
export const quick: SmtpClientOptions = {
  ...client,
  timeouts: { connectMs: 300, greetingMs: 300, commandMs: 300, tlsMs: 300, dataMs: 300, stallMs: 300, finalMs: 300 },
};

export const mail = (body = "Subject: hi\r\n\r\nhello\r\n", changes: Partial<OutgoingMail> = {}): OutgoingMail => {
  const wire = stuff(Buffer.from(body, "latin1"));
  return outgoingMail({ wire: () => [wire.subarray(0, 5), wire.subarray(5)], sizeBytes: wire.length, ...changes });
};

/** Peers and connections that are closed after each test. Called at the top level of the file. */
export function setUpPeers() {
  const open = closeAfterEach();

  async function fakeMx(options: FakeMxOptions = {}): Promise<FakeMx> {
    const mx = await FakeMx.start(options);
    open.push(() => mx.close());
    return mx;
  }

  /** A peer that is only a socket, for behaviour that no SMTP server should show. */
  async function rawPeer(behave: (socket: Socket) => void): Promise<{ port: number }> {
    const server = createServer(behave);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const sockets = new Set<Socket>();
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
    });
    open.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { port: (server.address() as { port: number }).port };
  }

  async function connection(
    mx: { port: number },
    changes: Partial<SmtpPeer> = {},
    options = client,
  ): Promise<SmtpConnection> {
    const result = await openSmtp(peer(mx, changes), options);
    if (result.kind === "failed") throw new Error(JSON.stringify(result.outcome));
    open.push(async () => result.connection.quit());
    return result.connection;
  }

  async function failureOf(mx: { port: number }, changes: Partial<SmtpPeer> = {}, options = quick): Promise<string> {
    const result = await openSmtp(peer(mx, changes), options);
    if (result.kind === "open") result.connection.quit();
    return result.kind === "open" || result.outcome.kind === "taken"
      ? "open"
      : `${result.outcome.kind} ${result.outcome.failure.code}`;
  }

  async function sendOutcome(mx: { port: number }, message = mail(), options = client): Promise<string> {
    const { outcome } = await (await connection(mx, {}, options)).send(message, ongoingAttempt());
    return outcome.kind === "taken"
      ? "taken"
      : `${outcome.kind} ${outcome.failure.code} ${outcome.failure.enhancedStatus}`;
  }

  return { open, fakeMx, rawPeer, connection, failureOf, sendOutcome };
}
