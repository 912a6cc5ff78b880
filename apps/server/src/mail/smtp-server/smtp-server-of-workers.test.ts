import { createSecureContext } from "node:tls";
import { acceptAll, startSmtpServer } from "@kauke/testkit/smtp-server";
import { type SmtpTalk, smtpTalk, smtpTalkTls } from "@kauke/testkit/smtp-talk";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { expect, onTestFinished, test, vi } from "vitest";
import { ConnectedExchanges } from "../../core/worker-shares/connected-exchanges.testing.ts";
import { ExchangedShares } from "../../core/worker-shares/exchanged-shares.ts";
import type { SmtpServerOptions } from "./smtp-server.ts";

/** Starts the SMTP servers of two workers. @returns their ports, and a function that ends the first worker */
async function startTwo(options: Partial<SmtpServerOptions>) {
  const all = new ConnectedExchanges(5);
  const exchanges = [all.join(), all.join()] as const;
  const start = (worker: 0 | 1) =>
    startSmtpServer({ ...options, workerShares: new ExchangedShares(exchanges[worker]).within("mx") });
  const [first, second] = [await start(0), await start(1)];
  return { first: first.port, second: second.port, endFirst: () => all.end(exchanges[0]) };
}

function closing(talk: SmtpTalk): SmtpTalk {
  onTestFinished(() => talk.close());
  return talk;
}

const connect = async (port: number) => closing(await smtpTalk(port, "127.0.0.1", "127.1.0.1"));

/** Connects and disconnects. @returns the server's greeting */
async function greetingOf(port: number, address = "127.1.0.1"): Promise<string> {
  const talk = await smtpTalk(port, "127.0.0.1", address);
  talk.close();
  return talk.greeting;
}

test("the connections of an address are counted over all workers until they end, or their worker does", async () => {
  const { first, second, endFirst } = await startTwo({ maxConnections: 100, maxConnectionsPerAddress: 3 });
  const open = [await connect(first), await connect(first), await connect(second)];
  await vi.waitFor(async () => expect(await greetingOf(second)).toMatch(/^421 /));
  expect(await greetingOf(second, "127.2.0.1")).toMatch(/^220 /);
  open[0]?.close();
  await vi.waitFor(async () => expect(await greetingOf(second)).toMatch(/^220 /));
  await connect(first);
  await vi.waitFor(async () => expect(await greetingOf(second)).toMatch(/^421 /));
  endFirst();
  expect(await greetingOf(second)).toMatch(/^220 /);
});

test("the connections of an account are counted over all workers until they end", async () => {
  const submitter = { userId: "user" } as never;
  const { first, second } = await startTwo({
    handlers: { ...acceptAll, signIn: async () => ({ submitter }) },
    implicitTls: true,
    secureContext: () => createSecureContext({ key: testKey, cert: testCertificate }),
    maxConnectionsPerAccount: 2,
  });
  const signIn = async (port: number) => {
    const talk = closing(await smtpTalkTls(port, "127.0.0.1"));
    await talk.ask("EHLO c.test");
    return { talk, answer: await talk.ask(`AUTH PLAIN ${Buffer.from("\0name\0secret").toString("base64")}`) };
  };
  /** Connects, signs in and disconnects. @returns the reply to AUTH */
  const answerOf = async (port: number) => {
    const { talk, answer } = await signIn(port);
    talk.close();
    return answer;
  };
  const [one] = [await signIn(first), await signIn(first)];
  await vi.waitFor(async () => expect(await answerOf(second)).toMatch(/^454 4\.7\.0 /));
  one.talk.close();
  await vi.waitFor(async () => expect(await answerOf(second)).toMatch(/^235 /));
});
