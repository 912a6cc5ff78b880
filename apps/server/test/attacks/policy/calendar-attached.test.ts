/**
 * Invitations that can't be changed, since they are signed, encoded in an unknown way or too large to be parsed, travel
 * as an attachment, so that no mail program acts on them by itself.
 */
import { byMailauth } from "@kauke/testkit/programs/verify-dkim";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { ann, header, invitation, lines, multipart, part, setUpInvitations } from "./invitations.testing.ts";

const { record, newAlias, forward } = await setUpInvitations();

describe("an invitation that can't be changed travels as an attachment under a warning", () => {
  const signed = (alias: string) =>
    multipart(
      'signed; protocol="application/pkcs7-signature"; micalg=sha-256',
      "s",
      multipart("mixed", "m", part("text/calendar; method=REQUEST", "7bit", invitation(alias))),
      part('application/pkcs7-signature; name="smime.p7s"', "base64", "signature"),
    );
  const der = (tag: number, ...content: Buffer[]) => {
    const bytes = Buffer.concat(content);
    const length = Buffer.from([0x84, 0, 0, 0, 0]);
    length.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([Buffer.from([tag]), length, bytes]);
  };
  /** CMS SignedData whose content is encoded in chunks of seven octets, as BER allows. */
  const opaque = (content: string) => {
    const pieces = (content.match(/[^]{1,7}/g) ?? []).map((text) => der(0x04, Buffer.from(text)));
    const octets = Buffer.concat([Buffer.from([0x24, 0x80]), ...pieces, Buffer.from([0, 0])]);
    const data = der(0x06, Buffer.from("2a864886f70d010701", "hex"));
    const signedData = der(0x30, Buffer.from([2, 1, 1]), der(0x31), der(0x30, data, der(0xa0, octets)));
    return der(0x30, der(0x06, Buffer.from("2a864886f70d010702", "hex")), der(0xa0, signedData));
  };
  const asOpaque = (content: string, type = "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m") =>
    lines(`Content-Type: ${type}`, "Content-Transfer-Encoding: base64", "") +
    `${opaque(content).toString("base64").replace(/.{76}/g, "$&\r\n")}\r\n`;

  test.each<[string, (alias: string) => string]>([
    ["multipart/signed", signed],
    [
      "multipart/signed with a footer of a mailing list",
      (alias) => multipart("mixed", "f", signed(alias), part("text/plain", "7bit", "footer\r\n")),
    ],
    ["opaque S/MIME in chunks", (alias) => asOpaque(part("text/calendar", "7bit", invitation(alias)))],
    [
      "opaque S/MIME recognizable by its file name alone",
      (alias) =>
        asOpaque(part("text/calendar", "7bit", invitation(alias)), 'application/octet-stream; name="smime.p7m"'),
    ],
    [
      "an unknown encoding",
      (alias) => lines("Content-Type: text/calendar", "Content-Transfer-Encoding: x-uuencode", "") + invitation(alias),
    ],
    ["UTF-7", (alias) => part("text/calendar; charset=utf-7", "7bit", invitation(alias).replaceAll("@", "+AEA-"))],
    [
      "two Content-Type fields",
      (alias) => lines("Content-Type: text/plain") + part("text/calendar", "7bit", invitation(alias)),
    ],
    [
      "delimiters that end in a bare line feed",
      (alias) =>
        multipart(
          "mixed",
          "b",
          part("text/plain", "7bit", "x\r\n"),
          part("text/calendar", "7bit", invitation(alias)),
        ).replace("x\r\n\r\n--b\r\n", "x\r\n\n--b\n"),
    ],
    [
      "more than the parser's limit",
      (alias) =>
        part(
          "text/calendar",
          "7bit",
          invitation(alias).replace("BEGIN:VALARM", `X-PAD:${"x".repeat(70)}\r\n`.repeat(20_000)),
        ),
    ],
    [
      "parts nested without end",
      (alias) =>
        Array.from({ length: 30 }).reduce<string>(
          (inner, _, depth) => multipart("mixed", `d${depth}.`, inner),
          part("text/calendar", "7bit", invitation(alias)),
        ),
    ],
    [
      "an attached message that is encoded",
      (alias) =>
        multipart(
          "mixed",
          "b",
          part("message/rfc822", "base64", `From: x@y.example\r\n${part("text/calendar", "7bit", invitation(alias))}`),
        ),
    ],
  ])("%s", async (_, content) => {
    const alias = await newAlias();
    const sent = header(alias, ["MIME-Version: 1.0"]) + content(alias);
    const bytes = await forward(alias, sent);
    const mail = await PostalMime.parse(bytes, { forceRfc822Attachments: true });
    expect(mail.text).toContain("This message may hold an invitation. It is attached");
    expect(mail.text).toContain(alias);
    expect(mail.subject).toBe("plans");
    const [attached, more] = mail.attachments;
    expect(more).toBeUndefined();
    expect(attached).toMatchObject({
      mimeType: "message/rfc822",
      filename: "invitation.eml",
      disposition: "attachment",
    });
    // The attached message arrives byte for byte, so that its signature is valid; reply addresses are only in the
    // header of the message around it.
    const opening = bytes.indexOf('filename="invitation.eml"\r\n\r\n');
    const inside = bytes.subarray(opening + 30, bytes.lastIndexOf("\r\n--=_"));
    const bodyOf = (message: Buffer) => message.subarray(message.indexOf("\r\n\r\n")).toString("latin1");
    expect(bodyOf(inside) === bodyOf(Buffer.from(sent))).toBe(true);
    expect(inside.subarray(0, inside.indexOf("\r\n\r\n")).toString()).not.toContain(ann);
    // mailauth reads a bare line feed as CRLF, so it does not verify messages that contain one.
    if (!/[^\r]\n/.test(sent)) expect(await byMailauth(bytes, record)).toBe("pass");
  });

  test("control: a signed message without a calendar, and one that only mentions calendars, arrive unchanged", async () => {
    for (const content of [
      multipart(
        'signed; protocol="application/pgp-signature"',
        "s",
        part("text/plain", "7bit", "see my calendar.ics\r\nBEGIN:VCALENDAR\r\n"),
        part("application/pgp-signature", "7bit", "x\r\n"),
      ),
      asOpaque(part("text/plain", "7bit", "no invitation\r\n")),
      multipart(
        "mixed",
        "b",
        part("message/rfc822", "7bit", `Subject: x\r\n${signed("a@b.example")}`, [
          "Content-Disposition: attachment; filename=x.eml",
        ]),
      ),
    ]) {
      const alias = await newAlias();
      const bytes = await forward(alias, header(alias, ["MIME-Version: 1.0"]) + content);
      expect(String(bytes)).toContain(content.slice(content.indexOf("\r\n\r\n")));
      expect(String(bytes)).not.toContain("may hold an invitation");
    }
  });
});
