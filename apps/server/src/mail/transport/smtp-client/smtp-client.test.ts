import { createServer, type Socket } from "node:net";
import { stuff } from "@kauke/mail-rfc";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeMx, type FakeMxAnswer, type FakeMxOptions, ordinaryExtensions } from "@kauke/testkit/fakes/fake-mx";
import { startTarpit } from "@kauke/testkit/fakes/tarpit";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { describe, expect, test } from "vitest";
import type { OutgoingMail } from "../transport.ts";
import { openSmtp, type SmtpClientOptions, type SmtpPeer } from "./smtp-client.ts";
import { type SmtpConnection, smtpTimeouts } from "./smtp-connection.ts";

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

const peer = ({ port }: { port: number }, changes: Partial<SmtpPeer> = {}): SmtpPeer => ({
  host: "127.0.0.1",
  port,
  name: "localhost",
  tls: "opportunistic",
  isVerified: false,
  login: null,
  ...changes,
});
const client: SmtpClientOptions = { mailHost: "mail.kauke.test" };
const quick: SmtpClientOptions = {
  ...client,
  timeouts: { connectMs: 300, greetingMs: 300, commandMs: 300, tlsMs: 300, dataMs: 300, stallMs: 300, finalMs: 300 },
};

const mail = (body = "Subject: hi\r\n\r\nhello\r\n", changes: Partial<OutgoingMail> = {}): OutgoingMail => {
  const wire = stuff(Buffer.from(body, "latin1"));
  return {
    envelopeFrom: "a@from.example",
    rcptTo: "b@to.example",
    wireParts: [wire.subarray(0, 5), wire.subarray(5)],
    sizeBytes: wire.length,
    eightBit: false,
    smtpUtf8: false,
    ...changes,
  };
};

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
  const { outcome } = await (await connection(mx, {}, options)).send(message);
  return outcome.kind === "taken"
    ? "taken"
    : `${outcome.kind} ${outcome.failure.code} ${outcome.failure.enhancedStatus}`;
}

test("the timeout of each stage is at least that of RFC 5321 section 4.5.3.2", () => {
  const { greetingMs, commandMs, dataMs, stallMs, bodyMs, finalMs } = smtpTimeouts;
  const minutes = [greetingMs, commandMs, dataMs, stallMs, finalMs].map((ms) => ms / 60_000);
  expect(minutes).toEqual([5, 5, 2, 3, 10]);
  expect(bodyMs).toBeGreaterThanOrEqual(stallMs);
});

describe("sending a message", () => {
  test("delivers it byte for byte, including leading dots and 8-bit bytes", async () => {
    const mx = await fakeMx();
    const body = "Subject: x\r\n\r\n.\r\n..two\r\n.a\r\n\xe9\xff\x00 8-bit\r\n\r\n.\r\n";
    expect(await sendOutcome(mx, mail(body))).toBe("taken");
    expect(mx.messages[0]?.bytes.toString("latin1")).toBe(body);
    expect(mx.messages[0]).toMatchObject({ envelopeFrom: "a@from.example", rcptTo: ["b@to.example"] });
  });

  test("the envelope is sent in one write when the peer supports pipelining, else line by line", async () => {
    const pipelining = await fakeMx();
    await sendOutcome(pipelining);
    expect(pipelining.commandChunks).toBe(2);
    const slow = await fakeMx({ extensions: [] });
    await sendOutcome(slow);
    expect(slow.commandChunks).toBe(4);
    expect(slow.messages).toHaveLength(1);
  });

  test("a connection is reused for many messages, also after a refused one", async () => {
    for (const extensions of [ordinaryExtensions, []]) {
      const mx = await fakeMx({
        extensions,
        answer: ({ line }) => (line.includes("nobody") ? "550 5.1.1 no such user" : undefined),
      });
      const connected = await connection(mx);
      for (const rcptTo of ["b@to.example", "nobody@to.example", "c@to.example", "d@to.example"])
        await connected.send(mail(undefined, { rcptTo }));
      expect(mx.messages.map((it) => it.rcptTo)).toEqual([["b@to.example"], ["c@to.example"], ["d@to.example"]]);
      expect(mx.connections).toBe(1);
      expect(mx.commands.filter((it) => it === "RSET")).toHaveLength(1);
    }
  });

  test("a body far larger than any buffer arrives completely", async () => {
    const mx = await fakeMx();
    const body = `Subject: big\r\n\r\n${".0123456789abcdef\r\n".repeat(200_000)}`;
    expect(await sendOutcome(mx, mail(body))).toBe("taken");
    expect(mx.messages[0]?.bytes.equals(Buffer.from(body))).toBe(true);
  });

  test.each([
    ["mail", "550 5.7.1 no", "refused refused_by_policy 5.7.1"],
    ["rcpt", "452 4.2.2 full", "deferred mailbox_full 4.2.2"],
    ["data", "451 4.3.0 later", "deferred try_later 4.3.0"],
    ["body", "554 5.6.0 bad", "refused refused_content 5.6.0"],
  ])("a refusal at %s is the outcome, and the connection stays usable", async (stage, text, expected) => {
    const mx = await fakeMx({ answer: (step) => (step.stage === stage ? text : undefined) });
    const connected = await connection(mx);
    const { outcome } = await connected.send(mail());
    expect(outcome).toMatchObject({ kind: expected.split(" ")[0] });
    expect(
      outcome.kind !== "taken" && `${outcome.kind} ${outcome.failure.code} ${outcome.failure.enhancedStatus}`,
    ).toBe(expected);
    mx.options = {};
    expect((await connected.send(mail())).outcome.kind).toBe("taken");
    expect(mx.connections).toBe(1);
  });

  test("a peer that asks for the body of a refused envelope gets none, and the connection ends", async () => {
    const answers: Record<string, string> = { rcpt: "550 5.1.1 no", data: "354 still" };
    const connected = await connection(await fakeMx({ answer: ({ stage }) => answers[stage] }));
    const result = await connected.send(mail());
    expect(result).toMatchObject({
      isUntouched: false,
      outcome: { kind: "refused", failure: { code: "mailbox_unknown" } },
    });
    expect(connected.isUsable).toBe(false);
  });

  test("a refusal counts when the peer closes the connection after it", async () => {
    const mx = await fakeMx({
      answer: ({ stage }) => (stage === "mail" ? { reply: "550 5.7.1 go away", drop: true } : undefined),
    });
    expect(await sendOutcome(mx)).toBe("refused refused_by_policy 5.7.1");
  });

  test("a message the peer can't take is refused without a command sent", async () => {
    const mx = await fakeMx({ extensions: ["SIZE 10"] });
    expect(await sendOutcome(mx)).toBe("refused too_large 5.3.4");
    expect(await sendOutcome(mx, mail(undefined, { sizeBytes: 5, rcptTo: "ü@to.example" }))).toBe(
      "refused not_supported 5.6.7",
    );
    expect(mx.commands.filter((it) => it.startsWith("MAIL"))).toEqual([]);
  });

  test.each<[string, FakeMxAnswer]>([
    ["hangs up at EHLO", { drop: true }],
    ["refuses EHLO and hangs up", { reply: "502 5.5.1 what", drop: true }],
    ["answers EHLO with a text that is no SMTP reply", "hello there"],
  ])("a peer that %s gets HELO on a new connection", async (_, answer) => {
    const mx = await fakeMx({ answer: ({ stage }) => (stage === "ehlo" ? answer : undefined) });
    expect(await sendOutcome(mx)).toBe("taken");
    expect(mx.messages[0]?.connection).toBe(2);
    expect(mx.commands.filter((line) => line.startsWith("HELO"))).not.toEqual([]);
  });

  test.each<[string, FakeMxAnswer, Partial<SmtpPeer>]>([
    ["says to come back later", "421 4.3.2 later", {}],
    ["is silent at EHLO", { delayMs: 60_000 }, {}],
    ["must have TLS", { drop: true }, { tls: "starttls", isVerified: true }],
    ["must have a login", { drop: true }, { login: { user: "u", password: "p" } }],
  ])("a peer that %s does not get HELO", async (_, answer, changes) => {
    const mx = await fakeMx({ answer: ({ stage }) => (stage === "ehlo" ? answer : undefined) });
    expect(await failureOf(mx, changes)).toMatch(/^deferred/);
    expect(mx.connections).toBe(1);
  });

  test("a peer that only knows HELO gets no extensions", async () => {
    const mx = await fakeMx({ answer: ({ stage }) => (stage === "ehlo" ? "502 5.5.1 what" : undefined) });
    expect(await sendOutcome(mx)).toBe("taken");
    expect(mx.commands[1]).toBe("HELO mail.kauke.test");
  });
});

describe("a connection lost", () => {
  const lost = async (options: FakeMxOptions) => (await connection(await fakeMx(options))).send(mail());

  test("before the body defers the message, which may be sent again at once", async () => {
    for (const stage of ["mail", "rcpt", "data"]) {
      const result = await lost({ answer: (step) => (step.stage === stage ? { drop: true } : undefined) });
      expect(result).toMatchObject({ isUntouched: true, isUncertain: false });
      expect(result.outcome).toMatchObject({ kind: "deferred", failure: { code: "connection_lost" } });
    }
  });

  test("by a 421 reply to the envelope counts as closed by the peer", async () => {
    const result = await lost({
      answer: ({ stage }) => (stage === "mail" ? { reply: "421 4.3.2 too many", drop: true } : undefined),
    });
    expect(result).toMatchObject({ isUntouched: true, outcome: { kind: "deferred", failure: { code: "try_later" } } });
  });

  test("in the middle of the body defers the message, which was certainly not taken", async () => {
    const mx = await fakeMx({ dropAfterBodyBytes: 100_000 });
    const result = await (await connection(mx)).send(mail(`\r\n${"x".repeat(5_000_000)}\r\n`));
    expect(result.outcome).toMatchObject({ kind: "deferred", failure: { code: "connection_lost" } });
    expect(result).toMatchObject({ isUntouched: false, isUncertain: false });
  });

  test("after the dot defers the message, which may have been taken", async () => {
    const result = await lost({ answer: ({ stage }) => (stage === "body" ? { drop: true } : undefined) });
    expect(result.outcome).toMatchObject({ kind: "deferred", failure: { code: "connection_lost" } });
    expect(result).toMatchObject({ isUntouched: false, isUncertain: true });
  });

  test("is not continued after a reply in the middle of the body", async () => {
    const server = await rawPeer((socket) => {
      socket.write("220 x\r\n");
      let seen = 0;
      socket.on("data", (chunk) => {
        seen += chunk.length;
        const text = chunk.length < 200 ? chunk.toString() : "";
        if (text.startsWith("EHLO")) socket.write("250-x\r\n250 PIPELINING\r\n");
        else if (text.startsWith("MAIL")) socket.write("250 ok\r\n250 ok\r\n354 go\r\n");
        else if (seen > 100_000) socket.pause().write("552 5.3.4 enough\r\n");
      });
    });
    const connected = await connection(server);
    const { outcome } = await connected.send(mail(`\r\n${"x".repeat(20_000_000)}\r\n`));
    expect(outcome).toEqual({ kind: "refused", failure: { code: "too_large", enhancedStatus: "5.3.4" } });
    expect(connected.isUsable).toBe(false);
  });
});

describe("limits on time and on replies", () => {
  test.each(["greeting", "ehlo"])("a peer that does not reply at %s ends the set-up", async (stage) => {
    const mx = await fakeMx({ answer: (step) => (step.stage === stage ? { delayMs: 60_000 } : undefined) });
    expect(await failureOf(mx)).toBe("deferred timed_out");
  });

  test.each(["mail", "data", "body"])("a peer that does not reply at %s ends the transaction", async (stage) => {
    const mx = await fakeMx({ answer: (step) => (step.stage === stage ? { delayMs: 60_000 } : undefined) });
    expect(await sendOutcome(mx, mail(), quick)).toBe("deferred timed_out 4.4.2");
  });

  test("the connection ends when the peer stops reading a body", async () => {
    const server = await rawPeer((socket) => {
      socket.write("220 x\r\n");
      socket.on("data", (chunk) => {
        const text = chunk.toString("latin1", 0, 4);
        if (text === "EHLO") socket.write("250-x\r\n250 PIPELINING\r\n");
        else socket.pause().write("250 ok\r\n250 ok\r\n354 go\r\n");
      });
    });
    const message = mail(`\r\n${"x".repeat(30_000_000)}\r\n`);
    expect(await sendOutcome(server, message, quick)).toBe("deferred timed_out 4.4.2");
  });

  test.each([
    ["another protocol", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["an endless line", "220 ".padEnd(10_000, "x")],
    ["an endless reply", "220-x\r\n".repeat(500)],
  ])("%s is no SMTP peer", async (_, text) => {
    const server = await rawPeer((socket) => socket.write(text));
    expect(await failureOf(server)).toBe("deferred not_supported");
  });

  test("a closed port is unreachable, a refusal in the greeting defers", async () => {
    const mx = await fakeMx({ answer: ({ stage }) => (stage === "greeting" ? "554 5.7.1 not you" : undefined) });
    expect(await failureOf(mx)).toBe("deferred try_later");
    await mx.close();
    open.length = 0;
    expect(await failureOf(mx)).toBe("deferred unreachable");
  });

  test("a signal ends the attempt as deferred, at any moment", async () => {
    for (const stage of ["greeting", "mail", "body"]) {
      const mx = await fakeMx({ answer: (step) => (step.stage === stage ? { delayMs: 60_000 } : undefined) });
      const ending = AbortSignal.timeout(50);
      const result = await openSmtp(peer(mx), client, ending);
      const outcome =
        result.kind === "failed" ? result.outcome : (await result.connection.send(mail(), ending)).outcome;
      expect(outcome).toMatchObject({ kind: "deferred", failure: { code: "timed_out" } });
    }
    const before = await openSmtp(peer(await fakeMx()), client, AbortSignal.abort());
    expect(before.kind).toBe("failed");
  });
});

describe("TLS and login", () => {
  const tls = { key: testKey, cert: testCertificate };
  const trusting: SmtpClientOptions = { ...quick, extraCa: testCertificate };

  test("opportunistic TLS uses STARTTLS when offered, whatever the certificate", async () => {
    const mx = await fakeMx({ tls });
    const connected = await connection(mx, { name: "other.test" });
    expect(connected.isSecure).toBe(true);
    await connected.send(mail());
    expect(mx.messages[0]?.isSecure).toBe(true);
    expect(mx.commands.filter((it) => it.startsWith("EHLO"))).toHaveLength(2);
  });

  test("after a failed handshake one plain connection is tried when TLS is optional, and none when it is required", async () => {
    const broken = {
      answer: ({ stage }: { stage: string }) => (stage === "starttls" ? { reply: "220 go", drop: true } : undefined),
    };
    const mx = await fakeMx({ ...broken, tls });
    const connected = await connection(mx);
    expect(connected.isSecure).toBe(false);
    expect((await connected.send(mail())).outcome.kind).toBe("taken");
    expect(mx.connections).toBe(2);
    expect(await failureOf(await fakeMx({ ...broken, tls }), { tls: "starttls" })).toBe("deferred tls_failed");
  });

  test("nothing is sent to a peer that does not offer, or withdraws, required TLS", async () => {
    expect(await failureOf(await fakeMx(), { tls: "starttls" })).toBe("deferred tls_failed");
    const mx = await fakeMx({ tls, answer: ({ stage }) => (stage === "starttls" ? "454 4.7.0 not now" : undefined) });
    expect(await failureOf(mx, { tls: "starttls" })).toBe("deferred tls_failed");
    expect(await failureOf(mx)).toBe("open");
  });

  test("replies injected before the handshake fail it", async () => {
    const server = await rawPeer((socket) => {
      socket.write("220 x\r\n");
      socket.on("data", (chunk) => {
        const isHello = chunk.toString("latin1", 0, 4) === "EHLO";
        socket.write(isHello ? "250-x\r\n250 STARTTLS\r\n" : "220 go\r\n250 injected\r\n");
      });
    });
    expect(await failureOf(server, { tls: "starttls" })).toBe("deferred tls_failed");
  });

  test("implicit TLS starts with the first byte and verifies the name", async () => {
    const mx = await fakeMx({ tls, implicitTls: true });
    const connected = await connection(mx, { tls: "implicit", isVerified: true }, trusting);
    expect(connected.isSecure).toBe(true);
    expect((await connected.send(mail())).outcome.kind).toBe("taken");
    expect(await failureOf(mx, { tls: "implicit", isVerified: true, name: "wrong.test" }, trusting)).toBe(
      "deferred tls_failed",
    );
    expect(await failureOf(mx, { tls: "implicit", isVerified: true })).toBe("deferred tls_failed");
  });

  test("logs in with PLAIN, or with LOGIN when the peer offers nothing else", async () => {
    const login = { user: "us\u00e9r", password: "p@ss" };
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const plain = await fakeMx({ extensions: [...ordinaryExtensions, "AUTH LOGIN PLAIN"] });
    await connection(plain, { login });
    expect(plain.commands.at(-1)).toBe(`AUTH PLAIN ${base64("\0us\u00e9r\0p@ss")}`);
    const old = await fakeMx({ extensions: ["AUTH LOGIN"] });
    await connection(old, { login });
    expect(old.commands.slice(-3)).toEqual(["AUTH LOGIN", base64("us\u00e9r"), base64("p@ss")]);
  });

  test("a refused or unsupported login defers the message", async () => {
    const login = { user: "u", password: "wrong" };
    const refusing = await fakeMx({
      extensions: ["AUTH PLAIN"],
      answer: ({ stage }) => (stage === "auth" ? "535 5.7.8 no" : undefined),
    });
    expect(await failureOf(refusing, { login })).toBe("deferred login_failed");
    expect(await failureOf(await fakeMx({ extensions: ["AUTH GSSAPI"] }), { login })).toBe("deferred login_failed");
  });
});

describe("a peer that takes the body slowly", () => {
  const large = () =>
    mail("", { wireParts: Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, "x\r\n")), sizeBytes: 0 });

  test("is cut off at the deadline for the whole body, however often it takes a byte", async () => {
    await using slow = await startTarpit({ kind: "drip" });
    const { send } = await connection(slow, {}, { ...client, timeouts: { bodyMs: 400 } }).then((it) => ({
      send: () => it.send(large()),
    }));
    const began = performance.now();
    expect(await send()).toMatchObject({
      outcome: { kind: "deferred", failure: { code: "timed_out" } },
      isUncertain: false,
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("can't have the message while bytes of it are unsent, so stopping the attempt then is a certain failure", async () => {
    await using slow = await startTarpit({ kind: "drip" });
    const stop = new AbortController();
    let isEndSent = false;
    const signal = Object.assign(stop.signal, {
      sendEnd: () => {
        isEndSent = true;
      },
    });
    const sent = (await connection(slow)).send(large(), signal);
    setTimeout(() => stop.abort(), 300);
    expect(await sent).toMatchObject({ outcome: { kind: "deferred" }, isUncertain: false });
    expect(isEndSent).toBe(false);
  });

  test("may have the message once the dot is sent: the bytes may be dropped, and its reply still counts", async () => {
    const mx = await fakeMx({
      answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 100 } : undefined),
    });
    const message = mail("x\r\n".repeat(200_000));
    const signal = Object.assign(new AbortController().signal, {
      sendEnd: () => {
        message.wireParts = [];
      },
    });
    expect((await (await connection(mx)).send(message, signal)).outcome.kind).toBe("taken");
    expect(mx.messages[0]?.bytes).toHaveLength(600_000);
  });
});
