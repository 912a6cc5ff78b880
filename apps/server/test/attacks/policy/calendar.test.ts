/**
 * Calendars and header fields that make a mail program write to a stranger by itself: accepting an invitation, sending
 * a receipt, following up. Strangers send them in every form; every address the owner's program would write to must be
 * a reply address. Calendars that can't be changed, and the answers of owners, have files of their own.
 */
import { CORRESPONDENTS_MAX, droppedFields, readHeader } from "@kauke/mail-rfc";
import { byMailauth } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { describe, expect, test } from "vitest";
import {
  addressed,
  ann,
  calendarsOf,
  expectSafe,
  header,
  home,
  type InvitationEncoding,
  invitation,
  lines,
  multipart,
  part,
  replyAddressPattern,
  setUpInvitations,
  strangers,
} from "./invitations.testing.ts";

const { mx, system, record, newAlias, forward } = await setUpInvitations();

describe("an invitation's organizer and attendees reach the owner as reply addresses", () => {
  const encodings: InvitationEncoding[] = ["7bit", "8bit", "quoted-printable", "base64"];
  const forms: [name: string, message: (alias: string, encoding: InvitationEncoding) => string][] = [
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

test("of 999 attendees and 100 people in Cc as many as may get reply addresses are kept, the organizer first", async () => {
  const alias = await newAlias();
  const many = Array.from({ length: 999 }, (_, index) => `ATTENDEE:mailto:p${index}@planner.example\r\n`).join("");
  const calendar = `BEGIN:VCALENDAR\r\n${many}ORGANIZER:mailto:boss@planner.example\r\nEND:VCALENDAR\r\n`;
  const copied = `Cc: ${Array.from({ length: 100 }, (_, n) => `c${n}@planner.example`).join(",\r\n ")}`;
  const bytes = await forward(alias, header(alias, [copied]) + part("text/calendar", "7bit", calendar));
  const [arrived = ""] = calendarsOf(bytes);
  expect(arrived).toMatch(/^ORGANIZER:mailto:r-/m);
  expect(arrived).not.toContain("planner.example");
  expect(new Set(String(bytes).match(replyAddressPattern)).size).toBe(CORRESPONDENTS_MAX);
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
