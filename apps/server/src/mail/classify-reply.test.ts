import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyLoss, classifyReply, isHostBusy, ReplyReader, type SmtpStage } from "./classify-reply.ts";

const reply = (text: string) => {
  const [code = "", status = null] = text.split(" ");
  return { code: Number(code), enhancedStatus: status, lines: ["<real@inbox.example> secret words"] };
};

const stages: SmtpStage[] = ["greeting", "hello", "starttls", "auth", "mail", "rcpt", "data", "body"];

test.each<[string, SmtpStage, boolean]>([
  ["421", "mail", true],
  ["421 4.2.1", "rcpt", true],
  ["450", "rcpt", true],
  ["451 4.7.1", "rcpt", true],
  ["452 4.3.1", "body", true],
  ["450 4.2.0", "rcpt", false],
  ["452 4.2.2", "body", false],
  ["451 4.1.8", "mail", true],
  ["550 5.2.2", "rcpt", false],
  ["250", "body", false],
])("%s at %s means a busy host: %s", (text, stage, isBusy) => {
  expect(isHostBusy(reply(text), stage)).toBe(isBusy);
});

describe("the outcome for a reply", () => {
  test.each<[string, SmtpStage, string]>([
    // columns: SMTP reply, stage of the session, expected outcome (kind, failure code, enhanced status)
    ["250", "rcpt", "taken"],
    ["251", "rcpt", "taken"],
    ["354", "data", "taken"],
    ["250 2.0.0", "body", "taken"],
    ["550 5.1.1", "rcpt", "refused mailbox_unknown 5.1.1"],
    ["550", "rcpt", "refused mailbox_unknown 5.1.1"],
    ["550 5.1.10", "rcpt", "refused mailbox_unknown 5.1.10"],
    ["550 5.7.1", "rcpt", "refused refused_by_policy 5.7.1"],
    ["550", "mail", "refused refused_by_policy 5.7.1"],
    ["550 5.7.26", "body", "refused refused_by_policy 5.7.26"],
    ["550 5.2.1", "rcpt", "refused mailbox_unknown 5.2.1"],
    ["551", "rcpt", "refused mailbox_unknown 5.1.6"],
    ["552 5.2.2", "rcpt", "refused mailbox_full 5.2.2"],
    ["552", "rcpt", "refused mailbox_full 5.2.2"],
    ["552", "mail", "refused too_large 5.3.4"],
    ["552 5.2.2", "body", "refused mailbox_full 5.2.2"],
    ["553", "rcpt", "refused mailbox_unknown 5.1.3"],
    ["554", "body", "refused refused_content 5.6.0"],
    ["554 5.7.1", "body", "refused refused_by_policy 5.7.1"],
    ["554", "rcpt", "refused refused_by_policy 5.7.1"],
    ["556", "rcpt", "refused no_mail_host 5.1.10"],
    ["555", "mail", "refused not_supported 5.5.4"],
    ["599", "rcpt", "refused refused_by_policy 5.0.0"],
    ["450", "rcpt", "deferred try_later 4.2.0"],
    ["450 4.7.1", "rcpt", "deferred try_later 4.7.1"],
    ["451", "body", "deferred try_later 4.3.0"],
    ["452", "rcpt", "deferred try_later 4.3.1"],
    ["452 4.2.2", "rcpt", "deferred mailbox_full 4.2.2"],
    ["421", "mail", "deferred try_later 4.3.2"],
    ["421 4.7.0", "rcpt", "deferred try_later 4.7.0"],
    ["499", "rcpt", "deferred try_later 4.0.0"],
    // before the transaction, or when our own configuration is at fault, no failure is final
    ["554", "greeting", "deferred try_later 4.3.2"],
    ["521", "greeting", "deferred try_later 4.3.2"],
    ["421", "greeting", "deferred try_later 4.3.2"],
    ["550", "hello", "deferred try_later 4.3.2"],
    ["535 5.7.8", "auth", "deferred login_failed 4.7.8"],
    ["454", "auth", "deferred try_later 4.7.0"],
    ["530", "mail", "deferred login_failed 4.7.0"],
    ["530 5.7.0", "rcpt", "deferred login_failed 4.7.0"],
    // reply codes that are not valid at their stage
    ["250", "data", "deferred not_supported 4.5.0"],
    ["354", "rcpt", "deferred not_supported 4.5.0"],
    // the reply code decides between temporary and permanent, whatever the enhanced status says
    ["550 4.1.1", "rcpt", "refused mailbox_unknown 5.1.1"],
    ["450 5.1.1", "rcpt", "deferred mailbox_unknown 4.1.1"],
  ])("%s at %s is %s", (text, stage, expected) => {
    const outcome = classifyReply(reply(text), stage);
    const said =
      outcome.kind === "taken" ? "taken" : `${outcome.kind} ${outcome.failure.code} ${outcome.failure.enhancedStatus}`;
    expect(said).toBe(expected);
  });

  test("4xx never refuses, 5xx is never taken, and the status always fits the outcome", () => {
    const status = fc.option(fc.tuple(fc.constantFrom(2, 4, 5), fc.nat(9), fc.nat(40)).map((it) => it.join(".")));
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        status,
        fc.constantFrom(...stages),
        (code, enhancedStatus, stage) => {
          const outcome = classifyReply({ code, enhancedStatus, lines: ["user@real.example"] }, stage);
          if (code >= 500) expect(outcome.kind).not.toBe("taken");
          if (code < 500) expect(outcome.kind).not.toBe("refused");
          if (outcome.kind === "taken") return;
          expect(outcome.failure.enhancedStatus).toMatch(
            outcome.kind === "refused" ? /^5\.\d+\.\d+$/ : /^4\.\d+\.\d+$/,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("the outcome contains no text of the peer", () => {
    const outcome = classifyReply(
      { code: 550, enhancedStatus: "5.1.1", lines: ["5.1.1 <real@inbox.example> unknown"] },
      "rcpt",
    );
    expect(JSON.stringify(outcome)).not.toContain("inbox");
  });

  test("a lost connection always defers", () => {
    for (const reason of ["unreachable", "timed_out", "connection_lost", "tls_failed", "bad_reply", "aborted"] as const)
      expect(classifyLoss(reason).kind).toBe("deferred");
  });
});

const read = (text: string) => new ReplyReader().push(Buffer.from(text, "latin1"));

describe("parsing SMTP replies", () => {
  test("a reply of several lines is one reply with the status of its last line", () => {
    expect(read("250-one\r\n250-two\r\n250 2.1.5 three\r\n")).toEqual([
      { code: 250, enhancedStatus: "2.1.5", lines: ["one", "two", "2.1.5 three"] },
    ]);
  });

  test("pipelined replies are returned one by one", () => {
    expect(read("250 2.1.0 ok\r\n550 5.1.1 no\r\n503 x\r\n")?.map((it) => it.code)).toEqual([250, 550, 503]);
  });

  test("a bare code and bare line feeds are accepted", () => {
    expect(read("250\n354 go\n")).toEqual([
      { code: 250, enhancedStatus: null, lines: [""] },
      { code: 354, enhancedStatus: null, lines: ["go"] },
    ]);
  });

  test("text that only begins like a status is not taken for one", () => {
    expect(read("550 5.1.1234 x\r\n550 5.1.1x\r\n550 9.1.1 x\r\n")?.map((it) => it.enhancedStatus)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("the replies do not depend on how the bytes are split into chunks", () => {
    const wire = Buffer.from("220 hi\r\n250-a\r\n250-b\r\n250 2.0.0 c\r\n354 go\r\n421 4.3.2 bye\r\n");
    const whole = new ReplyReader().push(wire);
    fc.assert(
      fc.property(fc.array(fc.nat(wire.length), { maxLength: 12 }), (cuts) => {
        const reader = new ReplyReader();
        const at = [0, ...cuts.sort((a, b) => a - b), wire.length];
        const replies = at
          .slice(1)
          .flatMap((end, index) => reader.push(Buffer.from(wire.subarray(at[index], end))) ?? []);
        expect(replies).toEqual(whole);
        expect(reader.isMidway).toBe(false);
      }),
    );
  });

  test.each([
    ["a line without a code", "hello\r\n"],
    ["a code that is none", "650 x\r\n"],
    ["codes that change within a reply", "250-a\r\n251 b\r\n"],
    ["a line over 2 KiB", `250 ${"x".repeat(2100)}\r\n`],
    ["2 KiB without a line end", "250 ".padEnd(2100, "x")],
    ["more than 100 lines", `${"250-x\r\n".repeat(101)}250 x\r\n`],
  ])("%s is rejected", (_, text) => {
    expect(read(text)).toBeNull();
  });

  test("a reply of exactly 100 lines is accepted", () => {
    expect(read(`${"250-x\r\n".repeat(99)}250 x\r\n`)?.[0]?.lines).toHaveLength(100);
  });

  test("any bytes are either parsed or rejected, and never throw", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (chunks) => {
        const reader = new ReplyReader();
        for (const chunk of chunks) if (reader.push(Buffer.from(chunk)) === null) return;
      }),
      { numRuns: 1000 },
    );
  });
});
