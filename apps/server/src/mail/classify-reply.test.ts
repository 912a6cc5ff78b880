import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classifyLoss, classifyReply, isHostBusy, type SmtpStage } from "./classify-reply.ts";

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
