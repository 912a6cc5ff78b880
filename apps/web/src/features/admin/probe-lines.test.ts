import { type MailProbeWire, mailProbe } from "@kauke/contract";
import { isMailProven } from "@kauke/contract/mail-probe";
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
  expect(probeHeadline(started, false)).toMatchObject({ mark: "wait", title: "Waiting for your message" });
  expect(probeHeadline(started, true)).toMatchObject({ mark: "fix", title: "1 thing to fix" });
});

test("a proof that is whole is good in every line", () => {
  expect(marksOf(allLines(whole))).toEqual(new Set(["ok"]));
  expect(probeHeadline(whole, false)).toMatchObject({ mark: "ok", title: "Mail works both ways" });
  expect(arrivalLines(whole, false)[0]?.title).toBe("It arrived after 12 seconds");
});

test.each<[Partial<MailProbeWire>, string]>([
  [{ answer: "queued" }, "Mail comes in. Our reply is on its way"],
  [{}, "Mail goes both ways. Now reply to our message"],
  [{ returned: true }, "Nearly done: say how our message looked"],
])("the headline tells the next step: %j", (change, title) => {
  expect(probeHeadline({ ...arrived, ...change }, false)).toMatchObject({ mark: "wait", title });
});

const results = ["pass", "fail", "none", "unknown"] as const;
const results3 = results.flatMap((spf) => results.map((dkim) => ({ spf, dkim, dmarc: spf })));

/** All that a proof can say, except that `theirs` has no effect on the rest. */
function* everyProbe(): Generator<MailProbeWire> {
  const certificates = mailProbe.shape.arrived.unwrap().shape.certificate.options;
  const ways: MailProbeWire["arrived"][] = [null];
  for (const certificate of certificates)
    for (const tlsVersion of ["TLSv1.3", null])
      ways.push({ seconds: 200, tlsVersion, cipher: tlsVersion, certificate, theirs: passed });
  for (const arrived of ways)
    for (const answer of [null, ...mailProbe.shape.answer.unwrap().options])
      for (const ours of [null, ...results3])
        for (const inSpam of [null, true, false])
          for (const returned of [true, false])
            for (const answerProblem of [null, "It said so."])
              yield { ...started, arrived, answer, answerProblem, returned, ours, inSpam };
}

test("the headline is green exactly when the server takes mail for proven, and every state has a next step", () => {
  for (const probe of everyProbe())
    for (const isOver of [false, true]) {
      const headline = probeHeadline(probe, isOver);
      const lines = allLines(probe, isOver);
      const isProven = isMailProven(probe);
      const seen = JSON.stringify(probe);
      if ((headline.mark === "ok") !== isProven) expect.fail(seen);
      if (isProven && lines.some(({ mark }) => mark === "fix")) expect.fail(seen);
      const needText = [headline, ...lines.filter(({ mark }) => mark === "fix" || mark === "warn")];
      if (!needText.every(({ text }) => text?.endsWith("."))) expect.fail(seen);
    }
});

test("a failed result of theirs has a sentence", () => {
  for (const theirs of results3) {
    const lines = arrivalLines({ ...whole, arrived: { ...whole.arrived, theirs } as MailProbeWire["arrived"] }, false);
    for (const { mark, text } of lines) if (mark === "warn") expect(text).toMatch(/\.$/);
  }
});

test("what the other host said of a refused reply is shown", () => {
  const [sent] = replyLines({ ...arrived, answer: "refused", answerProblem: "It said 550 5.7.1." });
  expect(sent).toMatchObject({ mark: "fix", title: "Their host refused our reply" });
  expect(sent?.text).toMatch(/^It said 550 5\.7\.1\. /);
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
