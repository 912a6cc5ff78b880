/**
 * Peers that close the connection, reply late or never, or read slowly: whether the message is deferred, and whether
 * the peer may have taken it.
 */
import type { FakeMxOptions } from "@kauke/testkit/fakes/fake-mx";
import { startTarpit } from "@kauke/testkit/fakes/tarpit";
import { describe, expect, test } from "vitest";
import { releasableMail } from "../../message/copy-memory.ts";
import { endingBy, ongoingAttempt } from "../outgoing-mail.testing.ts";
import { openSmtp } from "./smtp-client.ts";
import { smtpTimeouts } from "./smtp-connection.ts";
import { client, mail, peer, quick, setUpPeers } from "./smtp-peers.testing.ts";

const { open, fakeMx, rawPeer, connection, failureOf, sendOutcome } = setUpPeers();

test("the timeout of each stage is at least that of RFC 5321 section 4.5.3.2", () => {
  const { greetingMs, commandMs, dataMs, stallMs, bodyMs, finalMs } = smtpTimeouts;
  const minutes = [greetingMs, commandMs, dataMs, stallMs, finalMs].map((ms) => ms / 60_000);
  expect(minutes).toEqual([5, 5, 2, 3, 10]);
  expect(bodyMs).toBeGreaterThanOrEqual(stallMs);
});

describe("a connection lost", () => {
  const lost = async (options: FakeMxOptions) =>
    (await connection(await fakeMx(options))).send(mail(), ongoingAttempt());

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
    const result = await (await connection(mx)).send(mail(`\r\n${"x".repeat(5_000_000)}\r\n`), ongoingAttempt());
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
    const { outcome } = await connected.send(mail(`\r\n${"x".repeat(20_000_000)}\r\n`), ongoingAttempt());
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
        result.kind === "failed" ? result.outcome : (await result.connection.send(mail(), endingBy(ending))).outcome;
      expect(outcome).toMatchObject({ kind: "deferred", failure: { code: "timed_out" } });
    }
    const before = await openSmtp(peer(await fakeMx()), client, AbortSignal.abort());
    expect(before.kind).toBe("failed");
  });
});

describe("a peer that takes the body slowly", () => {
  const large = () =>
    mail("", { wire: () => Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, "x\r\n")), sizeBytes: 0 });

  test("is cut off at the deadline for the whole body, however often it takes a byte", async () => {
    await using slow = await startTarpit({ kind: "drip" });
    const { send } = await connection(slow, {}, { ...client, timeouts: { bodyMs: 400 } }).then((it) => ({
      send: () => it.send(large(), ongoingAttempt()),
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
    const attempt = ongoingAttempt({
      signal: stop.signal,
      sendEnd: () => {
        isEndSent = true;
      },
    });
    const sent = (await connection(slow)).send(large(), attempt);
    setTimeout(() => stop.abort(), 300);
    expect(await sent).toMatchObject({ outcome: { kind: "deferred" }, isUncertain: false });
    expect(isEndSent).toBe(false);
  });

  test("may have the message once the dot is sent: the bytes may be dropped, and its reply still counts", async () => {
    const mx = await fakeMx({
      answer: ({ stage }) => (stage === "body" ? { reply: "250 ok", delayMs: 100 } : undefined),
    });
    const { mail: large, release } = releasableMail(mail(), [Buffer.from("x\r\n".repeat(200_000))]);
    const passedOn: boolean[] = [];
    const sendEnd = (isPassedOn: boolean) => {
      passedOn.push(isPassedOn);
      release();
    };
    const connected = await connection(mx);
    expect((await connected.send(large, ongoingAttempt({ sendEnd }))).outcome.kind).toBe("taken");
    expect(mx.messages[0]?.bytes).toHaveLength(600_000);
    // The bytes of a small message may still be in the socket's buffer.
    await connected.send(mail(), ongoingAttempt({ sendEnd }));
    expect(passedOn).toEqual([true, false]);
  });

  test("is not sent a message whose copy was released meanwhile", async () => {
    const mx = await fakeMx();
    const { mail: released, release } = releasableMail(mail(), [Buffer.from("x\r\n")]);
    release();
    const connected = await connection(mx);
    expect((await connected.send(released, ongoingAttempt())).outcome.kind).toBe("deferred");
    expect([connected.isUsable, mx.messages]).toEqual([false, []]);
  });
});
