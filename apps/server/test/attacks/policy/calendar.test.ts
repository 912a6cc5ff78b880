/**
 * Calendars and header fields that make a mail program write to a stranger by itself: accepting an invitation, sending
 * a receipt, following up. Strangers send them in every form; every address the owner's program would write to must be
 * a reply address.
 */
import { droppedFields, readHeader } from "@kauke/mail-rfc";
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { byMailauth } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import PostalMime from "postal-mime";
import { beforeEach, describe, expect, test } from "vitest";
import { expectUnharmed, startScene, watchBystander } from "../scenes/bystander.testing.ts";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "planner.example": spf });
const home = "jonas.real@inbox.example";
const ann = "ann@planner.example";
const { mx, system, person } = await setUpForwarding({
  dns,
  env: { KAUKE_RETRY_SCHEDULE: "1s" },
  overrides: { store: { dkimDomains: ["kauke.test"] } },
});
const record = dkimRecordOf(system);

beforeEach(() => mx.reset());

const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");
const replyAddress = /r(?:-[a-z2-7]{5}){4}@kauke\.test/g;
/** Matches every address of a stranger in the invitation below. */
const strangers = /[\w.+-]+@(?:\[?[\w.-]*)planner\.example|ann(?:@|%40|=40)planner/gi;

const invitation = (alias: string) =>
  lines(
    "BEGIN:VCALENDAR",
    "METHOD:REQUEST",
    "PRODID:-//Planner//EN",
    "BEGIN:VEVENT",
    "UID:6f2c-77@meetings.example",
    "SEQUENCE:3",
    "DTSTAMP:20261122T120000Z",
    "DTSTART:20261201T100000Z",
    "SUMMARY:Zu früh?",
    'ORGANIZER;CN="Lee, Ann";EMAIL=ann@planner.example;SENT-BY="mailto:office@planner.example":MAIL',
    ` TO:${ann}`,
    `ATTENDEE;CN=bo@planner.example;RSVP=TRUE;DELEGATED-TO="mailto:cy@planner.example","mailto:di@planner.example":mailto:bo`,
    "\t%40planner.example",
    `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;X-NUM-GUESTS=0:mailto:${alias}`,
    'attendee;MEMBER="mailto:team@planner.example";DIR="mailto:dir@planner.example":mailto:el@planner.example',
    "DESCRIPTION:line one\\nline",
    "  two",
    "BEGIN:VALARM",
    "ACTION:EMAIL",
    "ATTENDEE:mailto:alarm@planner.example",
    "END:VALARM",
    "END:VEVENT",
    "END:VCALENDAR",
  );

type Encoding = "7bit" | "8bit" | "quoted-printable" | "base64";

function encoded(text: string, encoding: Encoding): string {
  if (encoding === "base64") return `${Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n")}\r\n`;
  if (encoding === "8bit") return text;
  if (encoding === "7bit") return text.replace("ü", "ue");
  const quoted = text.replace(/[=@]|[^\0-\x7f]/gu, (character) =>
    Buffer.from(character).toString("hex").toUpperCase().replace(/../g, "=$&"),
  );
  return quoted.replace(/[^\r\n]{60}(?!\r|=|.\r|.=)/g, "$&=\r\n");
}

const header = (to: string, more: string[] = []) =>
  lines(`From: Ann <${ann}>`, `To: ${to}`, "Subject: plans", "Message-ID: <1@planner.example>", ...more);

const part = (type: string, encoding: Encoding, content: string, more: string[] = []) =>
  lines(`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, ...more, "") + encoded(content, encoding);

const multipart = (kind: string, boundary: string, ...parts: string[]) =>
  lines(`Content-Type: multipart/${kind}; boundary="${boundary}"`, "") +
  parts.map((text) => `--${boundary}\r\n${text}\r\n`).join("") +
  `--${boundary}--\r\n`;

async function newAlias(): Promise<string> {
  const { alias } = await person.createAlias({ forwardTo: home });
  return `${alias}@kauke.test`;
}

/** Sends a message to an alias. @returns the copy that arrived at the owner's mailbox */
async function forward(to: string, message: string | Buffer): Promise<Buffer> {
  const params = Buffer.from(message as string).some((byte) => byte > 127) ? { params: "BODY=8BITMIME" } : {};
  const { last } = await sendMail({ port: system.mxPort, from: ann, to, message, ...params });
  expect(last).toMatch(/^250 /);
  const [mail] = await mx.waitForMessages(1);
  mx.messages.length = 0;
  expect(mail?.rcptTo).toEqual([home]);
  return mail?.bytes as Buffer;
}

/**
 * @returns every calendar of a message, decoded. Independent of the server's parser; knows only the boundaries that
 * these tests write.
 */
function calendarsOf(bytes: Buffer): string[] {
  const parts = bytes.toString("latin1").split(/(?:^|\r\n)--[\w=.-]+\r?\n|\r\n--[\w=.-]+--\r\n/);
  return parts.flatMap((text) => {
    const [fields = "", ...rest] = text.split("\r\n\r\n");
    const content = rest.join("\r\n\r\n");
    // A message that is attached to the message.
    if (/^content-type: message\/rfc822/im.test(fields)) return calendarsOf(Buffer.from(content, "latin1"));
    return /^content-(?:type|disposition):[^]*(?:calendar|ics)/im.test(fields) ? [decoded(content, fields)] : [];
  });
}

function decoded(content: string, fields: string): string {
  const encoding = /^content-transfer-encoding: *([\w-]+)/im.exec(fields)?.[1] ?? "7bit";
  if (encoding === "base64") return Buffer.from(content, "base64").toString();
  if (encoding !== "quoted-printable") return Buffer.from(content, "latin1").toString();
  const bytes = content
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

const unfolded = (calendar: string) => calendar.replace(/\r?\n[ \t]/g, "");

/** @returns the lines of a calendar with an address that a program may write to */
const addressed = (calendar: string) =>
  unfolded(calendar)
    .split(/\r?\n/)
    .filter((line) => /^(?:organizer|attendee)/i.test(line));

function expectSafe(calendar: string, alias: string): void {
  const found = addressed(calendar);
  expect(found.length).toBeGreaterThan(3);
  expect(found.join("\n").match(strangers)).toBeNull();
  for (const [address] of found.join("\n").matchAll(/[\w.+-]+@[\w.-]+/g)) {
    expect(address === alias || /^r(?:-[a-z2-7]{5}){4}@kauke\.test$/.test(address), address).toBe(true);
  }
  expect(found).toContain(`ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;X-NUM-GUESTS=0:mailto:${alias}`);
  const others = (text: string) =>
    unfolded(text)
      .split("\r\n")
      .filter((line) => !/^(?:organizer|attendee)/i.test(line) && !line.startsWith("SUMMARY"));
  expect(others(calendar.trimEnd())).toEqual(others(invitation(alias).trimEnd()));
  expect(calendar).toContain("line one\\nline\r\n  two");
  for (const line of calendar.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(93);
}

describe("an invitation's organizer and attendees reach the owner as reply addresses", () => {
  const encodings: Encoding[] = ["7bit", "8bit", "quoted-printable", "base64"];
  const forms: [name: string, message: (alias: string, encoding: Encoding) => string][] = [
    [
      "the whole message",
      (alias, encoding) =>
        header(alias, ["MIME-Version: 1.0"]) +
        part("text/calendar; charset=utf-8; method=REQUEST", encoding, invitation(alias)),
    ],
    [
      "an alternative, and the same as an attachment",
      (alias, encoding) =>
        header(alias, ["MIME-Version: 1.0"]) +
        multipart(
          "mixed",
          "outer",
          multipart(
            "alternative",
            "inner",
            part("text/plain; charset=utf-8", "8bit", "come\r\n"),
            part("TEXT/Calendar; method=REQUEST; charset=UTF-8", encoding, invitation(alias)),
          ),
          part('application/ics; name="invite.ics"', encoding, invitation(alias)),
        ),
    ],
    [
      "a file of any type named .ics",
      (alias, encoding) =>
        header(alias) +
        multipart(
          "mixed",
          "b",
          part("application/octet-stream", encoding, invitation(alias), [
            "Content-Disposition: attachment;\r\n filename*0=inv; filename*1*=ite%2Eics",
          ]),
        ),
    ],
    [
      "a message that is shown inside the message",
      (alias, encoding) =>
        header(alias) +
        multipart(
          "mixed",
          "b",
          lines("Content-Type: message/rfc822", "") +
            lines("From: x@y.example") +
            multipart("mixed", "c", part("text/calendar", encoding, invitation(alias))),
        ),
    ],
  ];

  test.each(forms.flatMap(([name, message]) => encodings.map((encoding) => ({ name, message, encoding }))))(
    "as $name, in $encoding",
    async ({ message, encoding }) => {
      const alias = await newAlias();
      const sent = message(alias, encoding);
      // Control: the same search finds the strangers in the message as it was sent.
      const before = calendarsOf(Buffer.from(sent));
      if (!/rfc822/.test(sent)) expect(before[0]?.match(strangers)?.length ?? 0).toBeGreaterThan(5);
      const bytes = await forward(alias, sent);
      const body = bytes.subarray(readHeader(bytes).end);
      const inner = /rfc822/.test(sent) ? bytes.subarray(bytes.indexOf("From: x@y.example")) : bytes;
      const found = calendarsOf(inner);
      expect(found.length).toBeGreaterThan(0);
      for (const calendar of found) expectSafe(calendar.replace("frueh", "früh"), alias);
      expect(String(body)).toContain(
        `Transfer-Encoding: ${encoding}`.slice(0, sent.startsWith("From") ? 0 : undefined),
      );
      expect(await byMailauth(bytes, record)).toBe("pass");
    },
  );
});

test.each([
  ["folds between all letters", (text: string) => text.replace(/ORGANIZER/, [..."ORGANIZER"].join("\r\n "))],
  ["bare line feeds", (text: string) => text.replaceAll("\r\n", "\n")],
  ["bare carriage returns in front", (text: string) => text.replace("\r\nORGANIZER", "\rORGANIZER")],
  ["a blank line and a fold in front", (text: string) => text.replace("\r\nORGANIZER", "\r\n\r\n ORGANIZER")],
  ["no scheme", (text: string) => text.replace("MAIL\r\n TO:", "")],
  ["two schemes", (text: string) => text.replace("MAIL\r\n TO:", "mailto:MAILTO: ")],
  [
    "a scheme in a parameter without quotes",
    (text: string) => text.replace('"mailto:office@planner.example"', "mailto:office@planner.example"),
  ],
  ["a quote that never ends", (text: string) => text.replace('"Lee, Ann"', '"Lee, Ann')],
  ["a backslash before a quote", (text: string) => text.replace('"Lee, Ann"', '"\\":mailto:eve@planner.example"')],
  ["several addresses", (text: string) => text.replace(ann, `${ann},eve@planner.example?cc=fay@planner.example`)],
  ["a wide at sign", (text: string) => text.replace(ann, "ann\u{ff20}planner.example")],
  ["a byte order mark", (text: string) => `\u{feff}ORGANIZER:mailto:${ann}\r\n${text}`],
])("an organizer written with %s is still replaced", async (_, twist) => {
  const alias = await newAlias();
  const twisted = twist(invitation(alias));
  const sent = header(alias, ["MIME-Version: 1.0"]) + part("text/calendar; charset=utf-8", "base64", twisted);
  const [before = ""] = calendarsOf(Buffer.from(sent));
  expect(before).toContain("planner.example");
  const [calendar = ""] = calendarsOf(await forward(alias, sent));
  expect(calendar).toContain("UID:6f2c-77@meetings.example");
  expect(
    calendar
      .normalize("NFKC")
      .replace(/\r\n?[ \t]|\n[ \t]/g, "")
      .match(strangers),
  ).toBeNull();
});

test("an organizer in UTF-16 is still replaced", async () => {
  const alias = await newAlias();
  const wide = Buffer.from(`\u{feff}${invitation(alias)}`, "utf16le")
    .toString("base64")
    .replace(/.{76}/g, "$&\r\n");
  const fields = [
    "MIME-Version: 1.0",
    "Content-Type: text/calendar; charset=utf-16",
    "Content-Transfer-Encoding: base64",
  ];
  const bytes = await forward(alias, `${header(alias, fields)}\r\n${wide}\r\n`);
  const text = Buffer.from(bytes.toString("latin1", readHeader(bytes).end + 2), "base64").toString("utf16le");
  expectSafe(text.slice(1), alias);
});

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

test("of a calendar with 300 attendees 100 addresses in all are kept, header and alias included, the organizer first", async () => {
  const alias = await newAlias();
  const many = Array.from({ length: 300 }, (_, index) => `ATTENDEE:mailto:p${index}@planner.example\r\n`).join("");
  const calendar = `BEGIN:VCALENDAR\r\n${many}ORGANIZER:mailto:boss@planner.example\r\nEND:VCALENDAR\r\n`;
  const bytes = await forward(alias, header(alias) + part("text/calendar", "7bit", calendar));
  const [arrived = ""] = calendarsOf(bytes);
  expect(arrived).toMatch(/^ORGANIZER:mailto:r-/m);
  expect(arrived).not.toContain("planner.example");
  expect(new Set(String(bytes).match(replyAddress)).size).toBe(99);
  // Mail to each reply address reaches its person, also one who is named in the calendar only.
  const [, attendee = ""] = /^ATTENDEE:mailto:(.*)$/m.exec(arrived) ?? [];
  const answer = lines(`From: <${home}>`, `To: ${attendee}`, "", "hello");
  expect((await sendMail({ port: system.mxPort, from: home, to: attendee, message: answer })).last).toMatch(/^250 /);
  expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual(["p0@planner.example"]);
});

test("lines that begin with dots are kept, and a dot that its sender did not double hides no calendar", async () => {
  const alias = await newAlias();
  const dotted = multipart(
    "mixed",
    "b",
    part("text/plain", "7bit", ".one\r\n..two\r\n"),
    part("text/calendar", "8bit", `.dot\r\n${invitation(alias)}.\r\n`),
  );
  const bytes = await forward(alias, header(alias, ["MIME-Version: 1.0"]) + dotted);
  expect(String(bytes)).toContain("\r\n.one\r\n..two\r\n");
  expect(calendarsOf(bytes)[0]).toMatch(/^\.dot\r\n[^]*END:VCALENDAR\r\n\.\r\n/);
  expect(
    addressed(calendarsOf(bytes)[0] as string)
      .join()
      .match(strangers),
  ).toBeNull();
  expect(await byMailauth(bytes, record)).toBe("pass");

  const other = await newAlias();
  const talk = await smtpTalk(system.mxPort);
  for (const line of ["EHLO x.example", `MAIL FROM:<${ann}> BODY=8BITMIME`, `RCPT TO:<${other}>`, "DATA"])
    await talk.ask(line);
  const hidden = multipart(
    "mixed",
    "b",
    part("text/plain", "7bit", "x\r\n"),
    part("text/calendar", "8bit", invitation(other)),
  );
  talk.send(Buffer.from(header(other) + hidden.replaceAll("\r\n--b", "\r\n.--b")));
  expect(await talk.ask(".")).toMatch(/^250 /);
  talk.close();
  const [mail] = await mx.waitForMessages(1);
  const [calendar = ""] = calendarsOf(mail?.bytes as Buffer);
  expect(addressed(calendar).length).toBeGreaterThan(3);
  expect(addressed(calendar).join().match(strangers)).toBeNull();
});

describe("an acceptance sent to the organizer's reply address arrives as written by the alias, without a trace of the mailbox", () => {
  /**
   * Sends an invitation to a new alias. @returns the alias, the calendar that the owner received, and the reply address
   * of the organizer in it
   */
  async function invited() {
    const alias = await newAlias();
    const sent =
      header(alias, ["MIME-Version: 1.0"]) + part("text/calendar; method=REQUEST", "7bit", invitation(alias));
    const bytes = await forward(alias, sent);
    const [calendar = ""] = calendarsOf(bytes);
    const organizer = /^ORGANIZER.*:MAILTO:(r-[^\r\n]*)$/im.exec(unfolded(calendar))?.[1] as string;
    return { alias, organizer, calendar };
  }

  const accepted = (organizer: string, attendee: string, more: string[] = []) =>
    lines(
      "BEGIN:VCALENDAR",
      "METHOD:REPLY",
      "BEGIN:VEVENT",
      "UID:6f2c-77@meetings.example",
      "SEQUENCE:3",
      "DTSTAMP:20261122T130000Z",
      ...more,
      `ORGANIZER;CN="Lee, Ann";SENT-BY="mailto:${organizer}":mailto:${organizer}`,
      attendee,
      "END:VEVENT",
      "END:VCALENDAR",
    );

  const programs: [name: string, message: (organizer: string, alias: string) => string][] = [
    [
      "Outlook",
      (organizer) =>
        lines("Content-Class: urn:content-classes:calendarmessage", "X-MS-Has-Attach:", "Thread-Topic: plans") +
        multipart(
          "alternative",
          "_000_AM0PR0",
          part('text/plain; charset="iso-8859-1"', "quoted-printable", "I accept.\r\n"),
          part('text/html; charset="iso-8859-1"', "quoted-printable", "<p>I accept.</p>\r\n"),
          part(
            'text/calendar; charset="utf-8"; method=REPLY',
            "base64",
            accepted(organizer, `ATTENDEE;PARTSTAT=ACCEPTED;CN=Jonas Real;EMAIL=${home}:MAILTO:${home.toUpperCase()}`, [
              `X-MS-OLK-SENDER;CN="Jonas Real":mailto:${home}`,
              "X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
            ]),
          ),
        ),
    ],
    [
      "Gmail",
      (organizer) => {
        const calendar = accepted(
          organizer,
          `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=${home}\r\n ;X-NUM-GUESTS=0:mailto:${home.slice(0, 9)}\r\n ${home.slice(9)}`,
        );
        return (
          lines("Sender: Google Calendar <calendar-notification@google.com>") +
          multipart(
            "mixed",
            "000000000000abc",
            multipart(
              "alternative",
              "000000000000def",
              part(
                "text/plain; charset=UTF-8; format=flowed; delsp=yes",
                "base64",
                "Jonas has accepted this invitation.\r\n",
              ),
              part('text/calendar; charset="UTF-8"; method=REPLY', "7bit", calendar),
            ),
            part('application/ics; name="invite.ics"', "base64", calendar, [
              'Content-Disposition: attachment; filename="invite.ics"',
            ]),
          )
        );
      },
    ],
    [
      "Apple Mail",
      (organizer) =>
        multipart(
          "alternative",
          "Apple-Mail-1",
          part("text/plain; charset=us-ascii", "7bit", "Accepted\r\n"),
          part(
            "text/calendar; method=REPLY; name=iCal.ics",
            "quoted-printable",
            accepted(
              organizer,
              `ATTENDEE;CUTYPE=INDIVIDUAL;EMAIL="${home}";PARTSTAT=ACCEPTED:mailto:${home.replace("@", "%40")}`,
            ),
          ),
        ),
    ],
    [
      "Thunderbird, which found the alias among the attendees",
      (organizer, alias) =>
        multipart(
          "mixed",
          "------------kT",
          multipart(
            "alternative",
            "------------aB",
            part("text/plain; charset=UTF-8", "7bit", "Jonas has accepted\r\n"),
            part(
              "text/calendar; method=REPLY; charset=UTF-8",
              "8bit",
              accepted(organizer, `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${alias}`, ["SUMMARY:Zu früh?"]),
            ),
          ),
          part(
            "application/ics; name=invite.ics",
            "base64",
            accepted(organizer, `ATTENDEE;PARTSTAT=ACCEPTED;X-MOZ=1:mailto:${home}`),
          ),
        ),
    ],
  ];

  test.each(programs)("by %s", async (_, message) => {
    const { alias, organizer } = await invited();
    const sent =
      lines(`From: Jonas Real <${home}>`, `To: ${organizer}`, "Subject: Accepted: plans", "MIME-Version: 1.0") +
      message(organizer, alias);
    const { last } = await sendMail({
      port: system.mxPort,
      from: home,
      to: organizer,
      message: sent,
      params: "BODY=8BITMIME",
    });
    expect(last).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    expect(mail).toMatchObject({ rcptTo: [ann], envelopeFrom: alias });
    const bytes = mail?.bytes as Buffer;
    const calendars = calendarsOf(bytes);
    expect(calendars.length).toBeGreaterThan(0);
    for (const calendar of calendars) {
      const [first, second, ...more] = addressed(calendar);
      expect(first).toBe(`ORGANIZER;CN="Lee, Ann";SENT-BY="mailto:${ann}":mailto:${ann}`);
      expect(second).toMatch(new RegExp(`^ATTENDEE;.*PARTSTAT=ACCEPTED.*:mailto:${alias}$`, "i"));
      expect(more).toEqual([]);
      expect(unfolded(calendar)).toMatch(
        /METHOD:REPLY\r\n.*UID:6f2c-77@meetings\.example\r\nSEQUENCE:3\r\nDTSTAMP:20261122T130000Z/s,
      );
      expect(calendar).not.toMatch(/jonas|inbox\.example/i);
    }
    expect(bytes.toString()).not.toMatch(/jonas\.real|inbox\.example|Jonas Real/i);
    expect(bytes.toString()).not.toMatch(replyAddress);
  });

  test("a signed acceptance stays unchanged, and the leak guard refuses it for the address it contains", async () => {
    const { organizer } = await invited();
    const calendar = accepted(organizer, `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${home}`);
    const sent =
      lines(`From: Jonas Real <${home}>`, `To: ${organizer}`, "Subject: Accepted", "MIME-Version: 1.0") +
      multipart(
        'signed; protocol="application/pkcs7-signature"',
        "s",
        part("text/calendar; method=REPLY", "7bit", calendar),
        part("application/pkcs7-signature", "base64", "x"),
      );
    const { last } = await sendMail({ port: system.mxPort, from: home, to: organizer, message: sent });
    expect(last).toMatch(/^550 5\.7\.1 /);
  });

  test("a read receipt names the alias as its recipient, and neither the computer nor the program", async () => {
    const { alias, organizer } = await invited();
    const receipt = lines(
      `Reporting-UA: laptop.inbox.example; Mailer 1.0`,
      `Original-Recipient: rfc822;${home}`,
      `Final-Recipient: rfc822;`,
      ` ${home}`,
      "Original-Message-ID: <1@planner.example>",
      "Disposition: manual-action/MDN-sent-manually; displayed",
    );
    const sent =
      lines(`From: Jonas Real <${home}>`, `To: ${organizer}`, "Subject: Read: plans", "MIME-Version: 1.0") +
      multipart(
        "report; report-type=disposition-notification",
        "r",
        part("text/plain", "7bit", "It was displayed.\r\n"),
        part("message/disposition-notification", "7bit", receipt),
      );
    expect((await sendMail({ port: system.mxPort, from: home, to: organizer, message: sent })).last).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    const text = String(mail?.bytes);
    expect(text).toContain(`Final-Recipient: rfc822; ${alias}\r\n`);
    expect(text).toContain(`Original-Recipient: rfc822; ${alias}\r\n`);
    expect(text).toContain("Original-Message-ID: <1@planner.example>");
    expect(text).not.toMatch(/inbox\.example|Mailer/);
  });
});

test("no header field that makes programs write contains a stranger's address", async () => {
  const alias = await newAlias();
  const names = droppedFields.flatMap(({ names: all }) => all.map((name) => name.replace("*", "From")));
  const lists = ["List-Unsubscribe", "List-Post", "List-Help", "List-Subscribe", "List-Owner", "List-Archive"];
  const sent =
    lines(
      ...names.map((name) => `${name}: Eve <eve@planner.example>`),
      ...lists.map((name) => `${name}: <mailto:eve@planner.example?subject=x>`),
      "Reply-To: Eve <eve@planner.example>",
      "Cc: Eve <eve@planner.example>",
    ) + header(alias, ["", "hello"]);
  expect(names.length).toBeGreaterThan(50);
  // Control: before forwarding, the search finds a stranger's address in each of these header fields.
  const holding = (bytes: Buffer) =>
    readHeader(bytes)
      .fields.filter((field) => bytes.toString("latin1", field.start, field.end).includes("@planner.example"))
      .map(({ name }) => name);
  expect(new Set(holding(Buffer.from(sent))).size).toBeGreaterThan(names.length + lists.length);
  const bytes = await forward(alias, sent);
  const traces = new Set(["authentication-results", "message-id"]);
  expect(holding(bytes).filter((name) => !traces.has(name))).toEqual([]);
  for (const name of lists) expect(String(bytes)).toMatch(new RegExp(`^${name}: <mailto:r-`, "im"));
});

test("a copy made again from the spool has the same content and the same reply addresses", async () => {
  const alias = await newAlias();
  const sent = header(alias, ["MIME-Version: 1.0"]) + part("text/calendar", "8bit", invitation(alias));
  let refusals = 0;
  mx.options = { answer: ({ stage }) => (stage === "body" && refusals++ === 0 ? "451 4.3.0 later" : undefined) };
  try {
    expect(
      (await sendMail({ port: system.mxPort, from: ann, to: alias, message: sent, params: "BODY=8BITMIME" })).last,
    ).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    const [calendar = ""] = calendarsOf(mail?.bytes as Buffer);
    expectSafe(calendar, alias);
    expect(refusals).toBeGreaterThan(0);
  } finally {
    mx.options = {};
  }
});

test("calendars of the largest message, of 100,000 attendees and of nothing but folded lines keep nobody else waiting", {
  timeout: 240_000,
}, async () => {
  await using scene = await startScene({ env: { KAUKE_LIMITS: "off" } });
  const { alias } = await scene.owner.createAlias({ forwardTo: home });
  const to = `${alias}@kauke.test`;
  const sizeBytes = rounds(4, 24) * 1024 * 1024;
  const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
  const contents = [
    filled("ATTENDEE:mailto:a@planner.example\r\n", sizeBytes),
    Array.from({ length: 100_000 }, (_, index) => `ATTENDEE:mailto:p${index}@planner.example\r\n`).join(""),
    filled("ATTENDEE:mailto:a@planner.example\r\n", 1_000_000),
    filled("ATTEN\r\n DEE;X=", 1_000_000),
    filled("\r\n ", 1_000_000),
    filled("\r\n", 1_000_000),
  ];
  const messages = contents.map((content) =>
    Buffer.from(header(to) + part("text/calendar", "7bit", `BEGIN:VCALENDAR\r\n${content}\r\nEND:VCALENDAR\r\n`)),
  );
  let checked = 0;
  /**
   * Checks that no calendar that reached the owner's mailbox names a stranger as attendee, unless it was forwarded as
   * an attached file. Discards the checked messages.
   */
  const check = () => {
    for (const mail of scene.relay.messages.filter(({ rcptTo }) => rcptTo.includes(home))) {
      const isAttached = mail.bytes.includes('filename="invitation.eml"');
      expect(isAttached || !/^ATTENDEE[^\r\n]*planner/m.test(mail.bytes.toString("latin1"))).toBe(true);
      scene.relay.messages.splice(scene.relay.messages.indexOf(mail), 1);
      checked += 1;
    }
  };
  const attack = async () => {
    for (let round = 0; round < rounds(1, 10); round += 1) {
      for (const message of messages) {
        const { last } = await sendMail({ port: scene.server.mxPort, from: "ann@planner.example", to, message });
        expect(last).toMatch(/^250 /);
        check();
      }
    }
  };
  const seen = await watchBystander(scene, attack());
  const { healthyMs, answeredMs, deliveredMs, peakMib } = seen;
  printFigures("calendars", { healthyMs, answeredMs, deliveredMs, peakMib });
  expectUnharmed(seen);
  check();
  expect(checked).toBe(rounds(1, 10) * contents.length);
});
