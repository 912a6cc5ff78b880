/** Attacks that fill the SMTP listeners with connections from whole networks of clients, over real sockets. */
import { createSecureContext } from "node:tls";
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { reply, type SmtpReply } from "@kauke/server/mail/reply";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { acceptAll, type SmtpServerStart, startSmtpServer } from "@kauke/testkit/smtp-server";
import { type SmtpTalk, smtpTalk, smtpTalkTls } from "@kauke/testkit/smtp-talk";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { ATTACK_MS, expectUnharmed, startScene, watchBystander } from "./scenes/bystander.testing.ts";
import { Crowd, type CrowdMember, crowdAddresses } from "./scenes/crowd.testing.ts";

afterAll(removeDataDirs);

const open: Disposable[] = [];
afterEach(() => {
  for (const crowd of open.splice(0).reverse()) crowd[Symbol.dispose]();
});

const small = {
  maxConnections: 40,
  maxConnectionsPerAddress: 20,
  maxConnectionsPerBlock: 40,
  maxConnectionsPerBlockWhenCrowded: 40,
};

const context = () => createSecureContext({ key: testKey, cert: testCertificate });
const implicitTls = { context, isImplicit: true };

function startSmtp(options: SmtpServerStart = {}) {
  return startSmtpServer({
    budget: new MemoryBudget(100_000_000),
    maxBytesPerAddress: 100_000_000,
    tls: { context, isImplicit: false },
    ...small,
    ...options,
  });
}

async function gather(
  port: number,
  addresses: readonly string[],
  more: { answers?: string; staysHalfOpen?: boolean } = {},
) {
  const crowd = await Crowd.gather({ port, addresses, ...more });
  open.push(crowd);
  return crowd;
}

async function greeted(crowd: Crowd): Promise<Crowd> {
  await vi.waitFor(() => expect(crowd.members.every((it) => it.heard().startsWith("220"))).toBe(true), 10_000);
  return crowd;
}

const from = (address: string, port: number) => smtpTalk(port, "127.0.0.1", address);
const farewells = (members: readonly CrowdMember[]) => members.filter((it) => it.heard().includes("421 4.7.0"));
const one24 = (each: number) => crowdAddresses(Math.ceil(40 / each), (n) => `127.1.0.${n + 1}`, each).slice(0, 40);

async function inData(talk: SmtpTalk): Promise<void> {
  talk.send("EHLO c.test\r\n");
  await talk.reply();
  talk.send("MAIL FROM:<a@example.org>\r\nRCPT TO:<postmaster@kauke.test>\r\nDATA\r\n");
  for (let answered = 0; answered < 3; answered++) await talk.reply();
}

describe("a whole server, while others send mail and watch its health", { timeout: 240_000 }, () => {
  const held = async (crowds: Promise<Crowd>[]) => {
    const all = await Promise.all(crowds);
    await new Promise((resolve) => setTimeout(resolve, ATTACK_MS));
    for (const it of all) it[Symbol.dispose]();
  };

  // `npm test` shows the same by the test of a full listener, which evicts sessions of one /24.
  test.runIf(isLongRun)("five addresses of one /24 cannot keep the MX full", async () => {
    await using scene = await startScene();
    const addresses = crowdAddresses(5, (n) => `127.1.0.${n + 1}`, 200);
    const attack = Crowd.gather({ port: scene.server.mxPort, addresses, comesBack: true });
    expectUnharmed(await watchBystander(scene, held([attack])));
  });

  test("a thousand addresses of a thousand networks cannot keep the MX full", async () => {
    await using scene = await startScene();
    const addresses = crowdAddresses(1000, (n) => `127.${2 + Math.floor(n / 250)}.${n % 250}.1`);
    const attack = Crowd.gather({ port: scene.server.mxPort, addresses });
    expectUnharmed(await watchBystander(scene, held([attack])));
  });

  test("handshakes that never end cannot keep submission full, on 587 and 465", async () => {
    await using scene = await startScene();
    const { submissionPort, submissionsPort } = scene.server;
    const addresses = crowdAddresses(10, (n) => `127.${1 + n}.0.1`, 100);
    const attack = async () => {
      const starttls = await Crowd.gather({ port: submissionPort, addresses, answers: "EHLO a.test\r\n" });
      const implicit = await Crowd.gather({ port: submissionsPort, addresses });
      open.push(starttls, implicit);
      await vi.waitFor(() => expect(starttls.open.every((it) => it.heard().includes("250 "))).toBe(true), 10_000);
      starttls.sayAll("STARTTLS\r\n");
      await new Promise((resolve) => setTimeout(resolve, ATTACK_MS));
      const talk = await from("127.50.0.1", submissionPort);
      expect(talk.greeting).toMatch(/^220 /);
      await talk.ask("EHLO c.test");
      expect(await talk.ask("STARTTLS")).toMatch(/^220 /);
      await talk.startTls();
      expect(await talk.ask("EHLO c.test")).toContain("AUTH PLAIN");
      talk.close();
      const secure = await smtpTalkTls(submissionsPort, "127.0.0.1", "127.50.0.1");
      expect(secure.greeting).toMatch(/^220 /);
      secure.close();
      expect(implicit.open.length).toBeLessThan(400);
    };
    const seen = await watchBystander(scene, attack());
    expectUnharmed(seen);
  });
});

describe("a full listener", () => {
  test("control: while every connection is being answered none is evicted, and a newcomer gets 421", async () => {
    const receive = () => new Promise<SmtpReply>(() => {});
    const { port } = await startSmtp({ handlers: { ...acceptAll, receive } });
    const talks = await Promise.all(one24(20).map((address) => from(address, port)));
    await Promise.all(talks.map((talk) => inData(talk)));
    for (const talk of talks) talk.send("hi\r\n.\r\n");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await from("127.9.0.1", port)).greeting).toMatch(/^421 4\.7\.0 /);
    for (const talk of talks) talk.close();
  });

  test("ends the oldest idle session of the address with the most connections, with a reply, and spares addresses with few", async () => {
    const { port, sessions } = await startSmtp();
    const quiet = await greeted(await gather(port, ["127.2.0.1", "127.3.0.1"]));
    const busy = await greeted(
      await gather(
        port,
        crowdAddresses(19, () => "127.1.0.1"),
      ),
    );
    const neighbours = await greeted(
      await gather(
        port,
        crowdAddresses(19, (n) => `127.1.0.${2 + n}`),
      ),
    );
    for (let came = 0; came < 5; came++) expect((await from(`127.${20 + came}.0.1`, port)).greeting).toMatch(/^220 /);
    expect(farewells(quiet.members)).toEqual([]);
    // The address with the most connections is in the same /24 as honest ones.
    expect(farewells(neighbours.members)).toEqual([]);
    expect(farewells(busy.members)).toEqual(busy.members.slice(0, 5));
    expect(sessions()).toBe(40);
  });

  test("treats a client that keeps sending NOOP, or that opens messages and sends them very slowly, as idle", async () => {
    const { port } = await startSmtp({ times: { slowAfterMs: 100 } });
    const noops = await greeted(
      await gather(
        port,
        crowdAddresses(20, () => "127.1.0.1"),
        { answers: "EHLO a.test\r\n" },
      ),
    );
    const tricklers = await Promise.all(crowdAddresses(20, () => "127.1.1.1").map((address) => from(address, port)));
    await Promise.all(tricklers.map((talk) => inData(talk)));
    const timer = setInterval(() => {
      noops.sayAll("NOOP\r\n");
      for (const talk of tricklers) talk.send("x");
    }, 10);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const newcomers = [];
    for (let came = 0; came < 20; came++) newcomers.push(await from(`127.${20 + came}.0.1`, port));
    clearInterval(timer);
    expect(newcomers.map((it) => it.greeting.slice(0, 3))).toEqual(newcomers.map(() => "220"));
    expect(farewells(noops.members).length).toBeGreaterThan(5);
    expect(tricklers.filter((talk) => talk.socket.readableEnded || talk.socket.destroyed).length).toBeGreaterThan(5);
    for (const talk of [...newcomers, ...tricklers]) talk.close();
  });

  test("lets a message that arrives at a normal rate finish, and never ends a session that is being answered", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<SmtpReply>();
    const { port } = await startSmtp({ handlers: { ...acceptAll, receive: () => answered } });
    const talks = await Promise.all(crowdAddresses(10, () => "127.1.0.1").map((address) => from(address, port)));
    await Promise.all(talks.map((talk) => inData(talk)));
    for (const talk of talks.slice(0, 5)) talk.send("hi\r\n.\r\n");
    await gather(
      port,
      crowdAddresses(10, () => "127.1.0.1"),
    );
    await gather(
      port,
      crowdAddresses(20, () => "127.1.1.1"),
    );
    const came = await gather(
      port,
      crowdAddresses(25, (n) => `127.20.${n}.1`),
    );
    await vi.waitFor(() => expect(came.members.map((it) => it.heard().slice(0, 3))).not.toContain(""));
    expect(came.members.map((it) => it.heard().slice(0, 3))).toEqual(came.members.map(() => "220"));
    for (const talk of talks.slice(5)) talk.send("hi\r\n.\r\n");
    answer(reply(250, "2.0.0", "Ok kept"));
    expect(await Promise.all(talks.map((talk) => talk.reply()))).toEqual(talks.map(() => "250 2.0.0 Ok kept"));
    for (const talk of talks) talk.close();
  });

  test("ends the oldest session of many networks with one connection each", async () => {
    const { port } = await startSmtp();
    const botnet = await greeted(
      await gather(
        port,
        crowdAddresses(40, (n) => `127.1.${n}.1`),
      ),
    );
    const newcomers = await greeted(
      await gather(
        port,
        crowdAddresses(3, (n) => `127.2.${n}.1`),
      ),
    );
    await vi.waitFor(() => expect(farewells(botnet.members)).toHaveLength(3));
    expect(farewells(newcomers.members)).toEqual([]);
  });

  test("limits a /24 to a share of the remaining places once it is crowded", async () => {
    const { port } = await startSmtp({ maxConnectionsPerBlock: 30, maxConnectionsPerBlockWhenCrowded: 5 });
    const first = await greeted(
      await gather(
        port,
        crowdAddresses(30, (n) => `127.1.0.${n + 1}`),
      ),
    );
    const second = await gather(
      port,
      crowdAddresses(20, (n) => `127.2.0.${n + 1}`),
    );
    await vi.waitFor(() => expect(farewells(second.members)).toHaveLength(15));
    expect(farewells(first.members)).toEqual([]);
  });

  test("when crowded, allows nobody to stay idle for five minutes", async () => {
    const { port, sessions } = await startSmtp({ times: { crowdedLineMs: 200, sweepMs: 50 } });
    const few = await greeted(
      await gather(
        port,
        crowdAddresses(20, (n) => `127.1.${n}.1`),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(few.open).toHaveLength(20);
    await gather(
      port,
      crowdAddresses(12, (n) => `127.2.${n}.1`),
    );
    await vi.waitFor(() => expect(sessions()).toBeLessThan(30));
    await vi.waitFor(() => expect(few.members.some((it) => it.heard().includes("421 4.4.2"))).toBe(true));
  });

  test("keeps only a few of the connections it turned away, however long they stay", async () => {
    const { port } = await startSmtp({ maxConnections: 2, maxConnectionsPerAddress: 1 });
    await greeted(await gather(port, ["127.1.0.1"]));
    const sockets = () => process.getActiveResourcesInfo().filter((it) => it === "TCPSocketWrap").length;
    const before = sockets();
    const turnedAway = await gather(
      port,
      crowdAddresses(500, () => "127.1.0.1"),
      { staysHalfOpen: true },
    );
    await vi.waitFor(() => expect(farewells(turnedAway.members)).toHaveLength(500));
    // This process holds both sockets of each of the 500 connections: the clients' 500 are subtracted, the rest are the
    // server's.
    expect(sockets() - before - 500).toBeLessThan(300);
  });
});

describe("TLS handshakes that never end", () => {
  test("count as connections from the first byte, on 465", async () => {
    const { port, sessions } = await startSmtp({ tls: implicitTls });
    await gather(port, one24(20));
    await vi.waitFor(() => expect(sessions()).toBe(40));
    const talk = await smtpTalkTls(port, "127.0.0.1", "127.9.0.1");
    expect(talk.greeting).toMatch(/^220 /);
    expect(sessions()).toBe(40);
    talk.close();
  });

  test("behind STARTTLS do not protect a session as work in progress does", async () => {
    const { port } = await startSmtp();
    const crowd = await greeted(await gather(port, one24(20), { answers: "EHLO a.test\r\n" }));
    crowd.sayAll("STARTTLS\r\n");
    await vi.waitFor(() => expect(crowd.members.every((it) => it.heard().includes("220 2.0.0"))).toBe(true));
    for (let came = 0; came < 5; came++) expect((await from(`127.${20 + came}.0.1`, port)).greeting).toMatch(/^220 /);
    await vi.waitFor(() => expect(crowd.open).toHaveLength(35));
  });

  test("are bounded per block and in all, and no client is left without TLS by that", async () => {
    const { port } = await startSmtp({ maxHandshakes: 12, maxHandshakesPerBlock: 10 });
    const crowd = await greeted(
      await gather(
        port,
        crowdAddresses(15, () => "127.1.0.1"),
        { answers: "EHLO a.test\r\n" },
      ),
    );
    crowd.sayAll("STARTTLS\r\n");
    await vi.waitFor(() => expect(farewells(crowd.members)).toHaveLength(5));
    const talks = await Promise.all(crowdAddresses(5, (n) => `127.2.${n}.1`).map((address) => from(address, port)));
    for (const talk of talks) {
      await talk.ask("EHLO c.test");
      expect(await talk.ask("STARTTLS")).toMatch(/^220 /);
      await talk.startTls();
      expect(await talk.ask("EHLO c.test")).toMatch(/^250/);
      talk.close();
    }
  });
});

describe("submission", () => {
  const submitter = { aliasId: "a", userId: "u", aliasAddress: "a@kauke.test", credentialId: "c", stamp: "s" };
  const login = `AUTH PLAIN ${Buffer.from("\0a@kauke.test\0secret").toString("base64")}`;

  async function signedIn(port: number, address: string): Promise<{ talk: SmtpTalk; answer: string }> {
    const talk = await smtpTalkTls(port, "127.0.0.1", address);
    await talk.ask("EHLO c.test");
    return { talk, answer: await talk.ask(login) };
  }

  test("disconnects a client that does not sign in", async () => {
    const handlers = { ...acceptAll, signIn: async () => ({ submitter }) };
    const { port } = await startSmtp({ handlers, tls: implicitTls, times: { signInMs: 300, sweepMs: 50 } });
    const { talk: known } = await signedIn(port, "127.1.0.1");
    const stranger = await smtpTalkTls(port, "127.0.0.1", "127.1.0.2");
    expect(await stranger.ask("EHLO c.test")).toMatch(/^250/);
    expect(await stranger.rest()).toEqual(["421 4.4.2 Waited too long"]);
    expect(await known.ask("NOOP")).toMatch(/^250/);
    known.close();
  });

  test("ends sessions without a sign-in before signed-in ones, and no account holds every place", async () => {
    const handlers = { ...acceptAll, signIn: async () => ({ submitter }) };
    const { port } = await startSmtp({ handlers, tls: implicitTls, maxConnectionsPerAccount: 5 });
    const known = await Promise.all(crowdAddresses(5, (n) => `127.1.${n}.1`).map((address) => signedIn(port, address)));
    expect(known.map(({ answer }) => answer)).toEqual(known.map(() => "235 2.7.0 Welcome"));
    const sixth = await signedIn(port, "127.1.6.1");
    expect(sixth.answer).toMatch(/^454 4\.7\.0 /);
    await gather(
      port,
      crowdAddresses(60, (n) => `127.2.${n}.1`),
    );
    for (const { talk } of known) {
      expect(await talk.ask("NOOP")).toMatch(/^250/);
      talk.close();
    }
    sixth.talk.close();
  });
});
