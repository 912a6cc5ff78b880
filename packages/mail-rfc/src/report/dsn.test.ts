import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstValue, readHeader } from "../header/headers.ts";
import { MailSyntaxError } from "../mail-syntax-error.ts";
import { buildDeliveryReport, type DeliveryReport, wordsForStatus } from "./dsn.ts";
import { isDeliveryReport, readDeliveryReport } from "./received-report.ts";

const originalText = [
  "Received: from a.example by b.example; Sun, 1 Mar 2026 12:00:00 +0000",
  "From: Ann Lee <ann@example.org>",
  "To: shop@kauke.test,\r\n\tbob@example.net",
  "Subject: Your order",
  "X-Secret: internal",
  "Date: Sun, 1 Mar 2026 12:00:00 +0200",
  "Message-ID: <order-1@example.org>",
  "",
].join("\r\n");

function source(text: string | Buffer): DeliveryReport["original"] {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
  const { fields, end } = readHeader(bytes);
  return { header: bytes.subarray(0, end), fields };
}

const report: DeliveryReport = {
  to: "ann@example.org",
  aliasAddress: "shop@kauke.test",
  reportingMta: "mx.kauke.test",
  enhancedStatus: "5.2.2",
  arrivedAt: new Date("2026-03-01T10:00:00Z"),
  at: new Date("2026-03-01T11:00:00Z"),
  messageId: "<mfrggzdfmztwq2lknnwg23tpoa@kauke.test>",
  boundary: "mfrggzdfmztwq2lknnwg23tpoa",
  original: source(originalText),
};
const build = (change: Partial<DeliveryReport> = {}) => buildDeliveryReport({ ...report, ...change });

/** @returns the text before the first boundary, followed by the bodies between boundaries */
function parts(message: Buffer): string[] {
  const text = message.toString("utf8");
  expect(text.endsWith(`--=_${report.boundary}--\r\n`)).toBe(true);
  return text.slice(0, text.lastIndexOf("--=_")).split(`--=_${report.boundary}\r\n`).slice(1);
}

describe("our delivery report", () => {
  it("states in three parts what happened, to which alias and to which message", () => {
    const [words = "", status = "", headers = "", ...more] = parts(build());
    expect(more).toEqual([]);
    expect(words).toContain(
      [
        "    shop@kauke.test",
        "",
        "    Subject: Your order",
        "    Sent: Sun, 1 Mar 2026 12:00:00 +0200",
        "    Message-ID: <order-1@example.org>",
        "",
        "There is no room for more mail.",
        "",
      ].join("\r\n"),
    );
    expect(status).toBe(
      [
        "Content-Type: message/delivery-status",
        "",
        "Reporting-MTA: dns; mx.kauke.test",
        "Arrival-Date: Sun, 1 Mar 2026 10:00:00 +0000",
        "",
        "Final-Recipient: rfc822; shop@kauke.test",
        "Action: failed",
        "Status: 5.2.2",
        "Last-Attempt-Date: Sun, 1 Mar 2026 11:00:00 +0000",
        "",
        "",
      ].join("\r\n"),
    );
    expect(headers).toBe(
      [
        "Content-Type: text/rfc822-headers",
        "Content-Transfer-Encoding: 7bit",
        "",
        "From: Ann Lee <ann@example.org>",
        "To: shop@kauke.test,\r\n\tbob@example.net",
        "Subject: Your order",
        "Date: Sun, 1 Mar 2026 12:00:00 +0200",
        "Message-ID: <order-1@example.org>",
        "",
        "",
      ].join("\r\n"),
    );
  });

  it("is marked as an automatic answer and recognized as a report", () => {
    const message = build();
    const { fields } = readHeader(message);
    expect(firstValue(message, fields, "auto-submitted")).toBe("auto-replied");
    expect(firstValue(message, fields, "from")).toBe("Mail delivery <postmaster@kauke.test>");
    expect(firstValue(message, fields, "content-type")).toMatch(/^multipart\/report; report-type=delivery-status;/);
    expect(isDeliveryReport(message)).toBe(true);
  });

  it.each(["2.0.0", "5.2", "", "5.7.1\r\nX: y", "550"])(
    "an invalid status %j is reported as 5.0.0",
    (enhancedStatus) => {
      expect(build({ enhancedStatus }).toString()).toContain("\r\nStatus: 5.0.0\r\n");
    },
  );

  it("states how long delivery was tried, and the reason of the last attempt", () => {
    const tried = { enhancedStatus: "4.4.7", reasonStatus: "4.2.2", triedSeconds: 432_000 };
    const [words = "", status = ""] = parts(build(tried));
    expect(words).toContain("There is no room for more mail.\r\nDelivery was tried for 5 days.\r\n");
    expect(status).toContain("\r\nStatus: 5.4.7\r\n");
    expect(build().toString()).not.toContain("was tried");
  });

  it("shows the subject decoded, on one line, truncated, in an encoding that every host accepts", () => {
    const coded = `=?utf-8?Q?U=C5=BEsakymas=0D=0A_?=${" x".repeat(300)}`;
    const [words = ""] = parts(build({ original: source(`Subject: ${coded}\r\n`) }));
    expect(words).toMatch(/^Content-Type: text\/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable/);
    expect(words).toContain("    Subject: U=C5=BEsakymas x x");
    expect(words.length).toBeLessThan(900);
  });

  it("returns raw or very long header lines in base64", () => {
    const raw = Buffer.from("From: Caf\xe9 <cafe@example.org>\r\nSubject: x\r\n", "latin1");
    const headers = parts(build({ original: source(raw) }))[2] ?? "";
    const body = headers.slice(headers.indexOf("\r\n\r\n"));
    expect(Buffer.from(body, "base64")).toEqual(raw);
    const long = build({ original: source(`Subject: ${"x".repeat(2000)}\r\n`) });
    expect(
      Math.max(
        ...long
          .toString()
          .split("\r\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(998);
  });

  it("leaves out a very large field, and works without any field", () => {
    const message = build({ original: source(`Subject: ${"x ".repeat(3000)}\r\nDate: now\r\n`) });
    expect(parts(message)[2]).toMatch(/\r\n\r\nDate: now\r\n\r\n$/);
    expect(parts(build({ original: source("") }))).toHaveLength(3);
  });

  it("refuses invalid addresses and identifiers", () => {
    for (const change of [{ to: "a@b\r\nBcc: c" }, { aliasAddress: "x" }, { messageId: "<a>\r\n" }])
      expect(() => build(change)).toThrow(MailSyntaxError);
  });

  it("is one message of three parts whatever the sender wrote", () => {
    const soup = fc.array(
      fc.oneof(
        fc.constantFrom("Subject: ", "\r\n", "\n", "\r\n\r\n", "--=_", `--=_${report.boundary}--`, "."),
        fc.string({ unit: "binary", maxLength: 20 }),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(soup, fc.string(), (text, reportingMta) => {
        const message = build({ original: source(`Subject: ${text.join("")}\r\n`), reportingMta });
        expect(readHeader(message)).toMatchObject({ isSeparated: true });
        expect(readHeader(message).fields).toHaveLength(8);
        expect(message.toString("latin1")).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
        expect(parts(message)).toHaveLength(3);
      }),
      { numRuns: 500 },
    );
  });

  it("has a sentence for every status", () => {
    for (let subject = 0; subject < 10; subject += 1)
      for (let detail = 0; detail < 30; detail += 1)
        expect(wordsForStatus(`5.${subject}.${detail}`).reason).toMatch(/^[A-Z][ -~]+\.$/);
  });
});

describe("a delivery report", () => {
  it.each([
    ["RFC 3464", 'Content-Type: multipart/report; boundary="x"; report-type=delivery-status'],
    [
      "folded, quoted, in capitals",
      'CONTENT-TYPE: Multipart/Report;\r\n\tReport-Type="Delivery-Status";\r\n boundary=x',
    ],
    ["RFC 6533", "Content-Type: multipart/report; report-type=global-delivery-status; boundary=x"],
    ["multipart/report without a report type", "Content-Type: multipart/report; boundary=x"],
    ["Exim", "X-Failed-Recipients: shop@kauke.test\r\nFrom: Mail Delivery System <Mailer-Daemon@mx.example>"],
    ["qmail", "From: MAILER-DAEMON@mx.example\r\nSubject: failure notice"],
    ["an old Exchange", "From: postmaster@example.org\r\nSubject: Undeliverable: Your order"],
    ["a German report", "From: <MAILER-DAEMON@mx.example>\r\nSubject: Unzustellbar: x"],
  ])("%s is recognized", (_, header) => {
    expect(isDeliveryReport(Buffer.from(`${header}\r\n\r\nbody\r\n`))).toBe(true);
  });

  it("qmail's report is recognized by its first words, whatever its subject", () => {
    const text =
      "From: MAILER-DAEMON@mx.example\r\nSubject: x\r\n\r\nHi. This is the qmail-send program at mx.example.\r\n";
    expect(isDeliveryReport(Buffer.from(text))).toBe(true);
  });

  it.each([
    ["an ordinary message", "From: ann@example.org\r\nSubject: Hello"],
    ["a message about a delivery report", "From: ann@example.org\r\nSubject: Undeliverable: my parcel"],
    ["a personal message from a postmaster", "From: postmaster@example.org\r\nSubject: Hello"],
    ["a read receipt", "Content-Type: multipart/report; report-type=disposition-notification; boundary=x"],
    ["an abuse complaint", "Content-Type: multipart/report; report-type=feedback-report; boundary=x"],
    ["an absence note", "From: ann@example.org\r\nAuto-Submitted: auto-replied\r\nSubject: Away"],
    ["a message without a header", ""],
  ])("%s is not a delivery report", (_, header) => {
    expect(isDeliveryReport(Buffer.from(`${header}\r\n\r\nbody\r\n`))).toBe(false);
  });

  it("no ordinary fixture is recognized as a delivery report", () => {
    const folder = new URL("../../../../test-vectors/eml/", import.meta.url);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".eml")))
      expect(isDeliveryReport(readFileSync(new URL(name, folder))), name).toBe(false);
  });

  it.each<[string, string[], hasFailed: boolean, enhancedStatus: string]>([
    ["a failure", ["Action: failed", "Status: 5.2.2"], true, "5.2.2"],
    ["a failure with a comment", ["Action: failed (bounced)", "Status: 5.1.1 (unknown)"], true, "5.1.1"],
    [
      "two recipients, one failed",
      ["Action: delayed", "Status: 4.2.2", "", "Action: failed", "Status: 5.7.26"],
      true,
      "5.7.26",
    ],
    ["a delay", ["Action: delayed", "Status: 4.4.1"], false, "5.0.0"],
    ["success", ["Action: delivered", "Status: 2.0.0"], false, "5.0.0"],
    ["a status outside the standard", ["Action: failed", "Status: 5.911.2"], true, "5.0.0"],
    ["a status with too many digits", ["Action: failed", "Status: 5.1.123"], true, "5.0.0"],
    ["a status of another class", ["Action: failed", "Status: 4.2.2"], true, "5.0.0"],
    ["fields of the returned message", ["", "--x", "", "Action: delayed", "Status: 5.1.1"], true, "5.0.0"],
  ])("only two facts are read: %s", (_, fields, hasFailed, enhancedStatus) => {
    const status = [
      "--x",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; mx.example",
      "",
      ...fields,
    ];
    const report = [
      "Content-Type: multipart/report; boundary=x",
      "Subject: hi",
      "",
      "Status: 5.3.3",
      ...status,
      "--x--",
    ];
    expect(readDeliveryReport(Buffer.from(report.join("\r\n")))).toEqual({ hasFailed, enhancedStatus });
  });

  it.each<[string, boolean]>([
    ["failure notice", true],
    ["Warning: could not send message for past 4 hours", false],
    ["Delivery delayed: hi", false],
  ])("without a machine-readable part the subject decides: %s", (subject, hasFailed) => {
    const report = `From: MAILER-DAEMON@mx.example\r\nSubject: ${subject}\r\n\r\nStatus: 5.1.1\r\n`;
    expect(readDeliveryReport(Buffer.from(report))).toEqual({ hasFailed, enhancedStatus: "5.0.0" });
  });

  it("a message that is not a report has no facts", () => {
    expect(readDeliveryReport(Buffer.from("From: ann@example.org\r\n\r\nAction: failed\r\n"))).toBeNull();
  });

  it("no input makes the recognition throw", () => {
    const anything = fc.oneof(fc.string({ unit: "binary" }), fc.constant("From: mailer-daemon@\r\nSubject: "));
    fc.assert(
      fc.property(fc.array(anything), (texts) => {
        expect(typeof isDeliveryReport(Buffer.from(texts.join("")))).toBe("boolean");
      }),
    );
    expect(isDeliveryReport(Buffer.from("a: b\r\n".repeat(6000)))).toBe(false);
  });
});
