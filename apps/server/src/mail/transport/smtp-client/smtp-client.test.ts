/** Sending a message, TLS and login. Connections that are lost, slow or silent are in smtp-client-failures.test.ts. */
import { type FakeMxAnswer, ordinaryExtensions } from "@kauke/testkit/fakes/fake-mx";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { describe, expect, test } from "vitest";
import { ongoingAttempt } from "../outgoing-mail.testing.ts";
import type { SmtpClientOptions, SmtpPeer } from "./smtp-client.ts";
import { mail, quick, setUpPeers } from "./smtp-peers.testing.ts";

const { fakeMx, rawPeer, connection, failureOf, sendOutcome } = setUpPeers();

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
        await connected.send(mail(undefined, { rcptTo }), ongoingAttempt());
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
    const { outcome } = await connected.send(mail(), ongoingAttempt());
    expect(outcome).toMatchObject({ kind: expected.split(" ")[0] });
    expect(
      outcome.kind !== "taken" && `${outcome.kind} ${outcome.failure.code} ${outcome.failure.enhancedStatus}`,
    ).toBe(expected);
    mx.options = {};
    expect((await connected.send(mail(), ongoingAttempt())).outcome.kind).toBe("taken");
    expect(mx.connections).toBe(1);
  });

  test("a peer that asks for the body of a refused envelope gets none, and the connection ends", async () => {
    const answers: Record<string, string> = { rcpt: "550 5.1.1 no", data: "354 still" };
    const connected = await connection(await fakeMx({ answer: ({ stage }) => answers[stage] }));
    const result = await connected.send(mail(), ongoingAttempt());
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

describe("TLS and login", () => {
  const tls = { key: testKey, cert: testCertificate };
  const trusting: SmtpClientOptions = { ...quick, extraCa: testCertificate };

  test("opportunistic TLS uses STARTTLS when offered, whatever the certificate", async () => {
    const mx = await fakeMx({ tls });
    const connected = await connection(mx, { name: "other.test" });
    expect(connected.isSecure).toBe(true);
    await connected.send(mail(), ongoingAttempt());
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
    expect((await connected.send(mail(), ongoingAttempt())).outcome.kind).toBe("taken");
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
    expect((await connected.send(mail(), ongoingAttempt())).outcome.kind).toBe("taken");
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
