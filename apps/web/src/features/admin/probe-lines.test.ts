import type { MailProbeWire } from "@kauke/contract";
import { expect, test } from "vitest";
import { arrivalLines, judgementLines, type ProbeLine, probeHeadline, replyLines } from "./probe-lines.ts";

const started: MailProbeWire = {
  id: "0b9d4c1e-7f2a-4e35-9c88-000000000009",
  address: "probe@kauke.example",
  startedAt: "2026-09-28T10:00:00.000Z",
  expiresAt: "2026-09-29T10:00:00.000Z",
  arrived: null,
  answer: null,
  answerProblem: null,
  returned: false,
  ours: null,
  inSpam: null,
};
const passed = { spf: "pass", dkim: "pass", dmarc: "pass" } as const;
const arrived: MailProbeWire = {
  ...started,
  arrived: { seconds: 12.4, tlsVersion: "TLSv1.3", cipher: "TLS_AES", certificate: "valid", theirs: passed },
  answer: "taken",
};
const whole: MailProbeWire = { ...arrived, returned: true, ours: passed, inSpam: false };

const allLines = (probe: MailProbeWire, isOver = false) => [
  ...arrivalLines(probe, isOver),
  ...replyLines(probe),
  ...judgementLines(probe),
];
const marksOf = (lines: readonly ProbeLine[]) => new Set(lines.map(({ mark }) => mark));

test("before a message arrives everything waits, and a proof without any within a day is to be fixed", () => {
  expect(marksOf(allLines(started))).toEqual(new Set(["wait"]));
  expect(probeHeadline(started, false)).toEqual({ mark: "wait", title: "Waiting for your message" });
  expect(probeHeadline(started, true)).toEqual({ mark: "fix", title: "1 thing to fix" });
});

test("a proof that is whole is good in every line", () => {
  expect(marksOf(allLines(whole))).toEqual(new Set(["ok"]));
  expect(probeHeadline(whole, false)).toEqual({ mark: "ok", title: "Mail works both ways" });
  expect(arrivalLines(whole, false)[0]?.title).toBe("It arrived after 12 seconds");
});

test.each<[Partial<MailProbeWire>, string]>([
  [{ answer: "queued" }, "Mail comes in. Our reply is on its way"],
  [{}, "Mail goes both ways. Now reply to our message"],
  [{ returned: true }, "Nearly done: say how our message looked"],
])("the headline tells the next step: %j", (change, title) => {
  expect(probeHeadline({ ...arrived, ...change }, false)).toEqual({ mark: "wait", title });
});

test("every line that is to be fixed or noted has a sentence", () => {
  const bad = { spf: "fail", dkim: "fail", dmarc: "fail" } as const;
  const certificates = ["self_signed", "wrong_name", "expired"] as const;
  for (const certificate of certificates)
    for (const answer of ["refused", "not_sent"] as const) {
      const theirs = { seconds: 1, tlsVersion: null, cipher: null, certificate, theirs: bad };
      const lines = allLines({ ...whole, arrived: theirs, answer, ours: bad, inSpam: true });
      for (const { mark, text } of lines) if (mark === "fix" || mark === "warn") expect(text).toMatch(/\.$/);
    }
});

test("what the other host said of a refused reply is shown", () => {
  const [sent] = replyLines({ ...arrived, answer: "refused", answerProblem: "It said 550 5.7.1." });
  expect(sent).toEqual({ mark: "fix", title: "Their host refused our reply", text: "It said 550 5.7.1." });
});

test("a result of the other side's authentication is nothing to fix here", () => {
  const failed = {
    ...whole,
    arrived: {
      ...(arrived.arrived as NonNullable<MailProbeWire["arrived"]>),
      theirs: { spf: "fail", dkim: "none", dmarc: "unknown" } as const,
    },
  };
  expect(
    arrivalLines(failed, false)
      .slice(-3)
      .map(({ mark }) => mark),
  ).toEqual(["warn", "none", "none"]);
  expect(probeHeadline(failed, false).mark).toBe("ok");
});
