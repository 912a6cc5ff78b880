import fc from "fast-check";
import { expect, it } from "vitest";
import { readFeedbackReport } from "./received-report.ts";

const report = (fields: readonly string[], type = 'multipart/report; report-type=feedback-report; boundary="b"') =>
  Buffer.from(
    [
      "From: <abuse-desk@host.example>",
      `Content-Type: ${type}`,
      "",
      "--b",
      "Content-Type: text/plain",
      "",
      "Original-Mail-From: <not-this@example.org>",
      "--b",
      "Content-Type: message/feedback-report",
      "",
      ...fields,
      "--b",
      "Content-Type: message/rfc822",
      "",
      "Original-Mail-From: <nor-this@example.org>",
      "--b--",
      "",
    ].join("\r\n"),
  );

it.each<[string, string[], string | null]>([
  [
    "a complaint",
    ["Feedback-Type: abuse", "Version: 1", "Original-Mail-From: <srs0-x@kauke.test>"],
    "srs0-x@kauke.test",
  ],
  ["a complaint without brackets", ["Feedback-Type: fraud", "Original-Mail-From: a@kauke.test"], "a@kauke.test"],
  ["a complaint that names nobody", ["Feedback-Type: abuse"], ""],
  ["a report that a message is not spam", ["Feedback-Type: not-spam", "Original-Mail-From: <a@kauke.test>"], null],
  ["a report without its type", ["Version: 1"], null],
])("%s", (_, fields, mailFrom) => {
  expect(readFeedbackReport(report(fields))?.mailFrom ?? null).toBe(mailFrom);
});

it("delivery reports and ordinary messages are not complaints, and no input throws", () => {
  const complaint = ["Feedback-Type: abuse"];
  expect(readFeedbackReport(report(complaint, "multipart/report; report-type=delivery-status; boundary=b"))).toBeNull();
  expect(readFeedbackReport(report(complaint, "multipart/mixed; boundary=b"))).toBeNull();
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(readFeedbackReport(Buffer.from(text))).toBeNull();
    }),
  );
});
