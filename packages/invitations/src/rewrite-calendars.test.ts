/** Tests finding and rewriting the calendars of whole messages: surrounding bytes, limits, and arbitrary input. */
import { droppedFields, isDroppedField, ParseBudget, ParseLimitError } from "@kauke/mail-rfc";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { change, organizer, owner, split } from "./calendars.testing.ts";
import { findCalendars } from "./find-calendars.ts";
import { findOwnerParts, writeOwnerParts } from "./owner-invitations.ts";
import { CALENDAR_BYTES_MAX, calendarAddresses, planCalendars, writeCalendars } from "./rewrite-calendars.ts";
import { readSignedContent } from "./signed-content.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const numRuns = isLong ? 100_000 : 400;
const timeout = isLong ? 3_600_000 : 60_000;

function rewrite(message: string | Buffer) {
  const { fields, body } = split(Buffer.from(message as string));
  const plan = planCalendars(fields, () => body);
  if (plan.kind !== "edit") return { kind: plan.kind, body };
  return { kind: plan.kind, body: Buffer.concat(writeCalendars(plan.edits, body, change).pieces) };
}

const event = `BEGIN:VCALENDAR\r\n${organizer}END:VCALENDAR\r\n`;
const mixed = (...parts: string[]) =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`;

describe("the calendars of a message", () => {
  it("are the only change: preamble, other parts, headers and epilogue stay byte for byte", () => {
    const others = ["Content-Type: text/plain\r\n\r\nmailto:ann@planner.example \r\n", "X-Odd:  y\r\n\r\n\0\xff"];
    const part = `content-TYPE:text/calendar\r\nContent-MD5: x\r\nX-Kept: 1\r\n\r\n${event}`;
    const message = mixed(...others, part, ...others).replace("--b\r\n", "preamble\r\n\r\n--b\r\n");
    const text = `${message}epilogue\r\n\r\n`;
    const done = rewrite(Buffer.from(text, "latin1"));
    const expected = text
      .slice(text.indexOf("\r\n\r\n") + 4)
      .replace(organizer, "ORGANIZER:mailto:r.aaaaaaaaaaaaaaaaaaaa@kauke.test\r\n")
      .replace("Content-MD5: x\r\n", "");
    expect(done.body.toString("latin1")).toBe(expected);
  });

  it.each([
    ["an escape sequence of ISO-2022-JP", "; charset=iso-2022-jp", "\u001b(B"],
    ["an escape sequence across a fold", "; charset=iso-2022-jp", "\u001b$\r\n B"],
    ["a shift of ISO-2022-KR", "; charset=iso-2022-kr", "\u000f"],
    ["a NUL", "", "\0"],
    ["a NUL and a UTF-16 byte order mark elsewhere", "; charset=utf-16", "\0"],
    ["a backspace", "", "\b"],
  ])("with %s in a property's name are hidden, since another program may drop it", (_, parameter, control) => {
    const head = `Content-Type: text/calendar${parameter}\r\n\r\n`;
    const twisted = `BEGIN:VCALENDAR\r\n${organizer.replace("ORG", `ORG${control}`)}END:VCALENDAR\r\n`;
    for (const end of ["", " "]) expect(rewrite(head + twisted + end).kind).toBe("hide");
    const inText = `BEGIN:VCALENDAR\r\n${organizer}SUMMARY:a${control.replace(/[\0\r\n]/g, "")}b\r\nEND:VCALENDAR\r\n`;
    const plain = parameter === "; charset=utf-16" ? "" : parameter;
    expect(rewrite(`Content-Type: text/calendar${plain}\r\n\r\n${inText}`).kind).toBe("edit");
  });

  it("keep no address that was percent-encoded twice", () => {
    const done = rewrite(`Content-Type: text/calendar\r\n\r\n${event.replace("ann@", "ann%2540")}`);
    expect(done.body.toString()).not.toContain("planner.example");
  });

  it.each([
    ["Content-Type: text/calendar", "edit"],
    ["Content-Type: APPLICATION/ICS", "edit"],
    ['Content-Type: text/x-vcalendar; charset="iso-8859-1"', "edit"],
    ['Content-Type: application/octet-stream; name="Meeting.ICS"', "edit"],
    ['Content-Disposition: attachment; filename="=?utf-8?B?YS5pY3M=?="', "edit"],
    ["Content-Disposition: attachment; filename*=utf-8''%61.i%63s", "edit"],
    ['Content-Type: text/plain\r\n (comment); name="a.ics"', "edit"],
    ["Content-Type: text/calendar; charset=utf-16", "hide"],
    ["Content-Type: text/calendar; charset=x-unknown", "hide"],
    ["Content-Type: application/calendar+xml", "hide"],
    ["Content-Type: application/calendar+json", "hide"],
    ["Content-Type: application/jscalendar+json;type=event", "hide"],
    ["Content-Type: text/calendar\r\nContent-Transfer-Encoding: x-uue", "hide"],
    ["Content-Type: text/calendar\r\nContent-Type: text/plain", "hide"],
    ['Content-Type: text/calendar\r\nContent-Transfer-Encoding: "base64"', "hide"],
    ["Content-Type: text / Calendar", "edit"],
    ['Content-Type: application/x; name="a.ics?"', "edit"],
    ["Content-Type: text/plain", "keep"],
    ["Content-Type: application/ld+json; name=calendar", "keep"],
    ["Content-Type: text/calendar-like", "edit"],
  ])("%j: %s", (fields, kind) => {
    expect(rewrite(mixed(`${fields}\r\n\r\n${event}`)).kind).toBe(kind);
  });

  it.each([
    [
      "a boundary that can't be read",
      mixed(`Content-Type: text/calendar\r\n\r\n${event}`).replace("=b", "=b; boundary=c"),
    ],
    [
      "a longer line that begins like the delimiter",
      mixed("\r\nx", `Content-Type: text/calendar\r\n\r\n${event}`).replace("x\r\n--b", "x\r\n--b c"),
    ],
    [
      "a part after the closing delimiter",
      `${mixed("\r\nx")}--b\r\nContent-Type: text/calendar\r\n\r\n${event}\r\n--b--\r\n`,
    ],
    ["header lines with bare line breaks", mixed(`X: y\nContent-Type: text/calendar\r\n\r\n${event}`)],
    ["a header with an invalid line", mixed(`nonsense\r\nContent-Type: text/calendar\r\n\r\n${event}`)],
    ["too many parts", mixed(...Array.from({ length: 1001 }, () => "\r\nx"))],
    ["too large a calendar", mixed(`Content-Type: text/calendar\r\n\r\n${organizer}${"x".repeat(CALENDAR_BYTES_MAX)}`)],
  ])("in a message with %s are hidden", (_, message) => {
    expect(rewrite(message).kind).toBe("hide");
  });

  it("in ambiguous base64 are written in unambiguous base64", () => {
    const twice = `${Buffer.from("BEGIN:VCALENDAR\r\n").toString("base64")}\r\n${Buffer.from(organizer).toString("base64")}`;
    const { body } = rewrite(mixed(`Content-Type: text/calendar\r\nContent-Transfer-Encoding: base64\r\n\r\n${twice}`));
    const written = /\r\n\r\n([A-Za-z0-9+/=\r\n]*?)\r\n--b--/.exec(body.toString())?.[1] ?? "";
    expect(written).toMatch(/^[A-Za-z0-9+/\r\n]*={0,2}$/);
    expect(Buffer.from(written, "base64").toString()).not.toContain("planner");
  });

  it("end in a line end as before when the message itself is the calendar", () => {
    for (const encoding of ["base64", "quoted-printable", "7bit"]) {
      const text = encoding === "base64" ? Buffer.from(event).toString("base64") : event.trimEnd();
      const soft = encoding === "quoted-printable" ? "=\r\n" : "\r\n";
      const { body } = rewrite(
        `Content-Type: text/calendar\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${text}${soft}`,
      );
      expect([encoding, body.subarray(-2).toString("hex")]).toEqual([encoding, "0d0a"]);
      expect(body.toString()).not.toContain("planner");
    }
  });
});

const signedContentOf = (der: Buffer) => readSignedContent(der, new ParseBudget());

describe("the content of signed data", () => {
  it("is null for anything but SignedData", () => {
    for (const hex of ["", "30", "3080", "3003020100", "30800609 2a864886f70d010703 a080", "3082ffff"]) {
      expect(signedContentOf(Buffer.from(hex.replaceAll(" ", ""), "hex"))).toBeNull();
    }
  });

  it("is unreadable when SignedData is truncated", () => {
    const start = "308006092a864886f70d010702a0803080020101";
    expect(signedContentOf(Buffer.from(`${start}31802480`, "hex"))).toBe("unreadable");
    expect(signedContentOf(Buffer.from(`${start}3100300b06092a864886f70d010701`, "hex"))).toBeNull();
  });

  it("is read in as many segments as programs write, and exceeds the limit with many more", () => {
    const opening = Buffer.from(
      "308006092a864886f70d010702a08030800201013100308006092a864886f70d010701a0802480",
      "hex",
    );
    const pieces = (count: number) => Buffer.alloc(count * 3, Buffer.from("040141", "hex"));
    const read = (count: number) => signedContentOf(Buffer.concat([opening, pieces(count), Buffer.from([0, 0])]));
    expect(read(100_000)).toEqual(Buffer.alloc(100_000, "A"));
    expect(() => read(1_000_000)).toThrow(ParseLimitError);
  });
});

describe("header fields that lead a program to an address of a correspondent", () => {
  it("are each in the table once, in lower case, with a reason", () => {
    const names = droppedFields.flatMap((group) => group.names);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9-]+\*?$/);
    for (const { reason } of droppedFields) expect(reason.length).toBeGreaterThan(20);
    expect(isDroppedField("downgraded-reply-to")).toBe(true);
    expect(isDroppedField("resent-date")).toBe(true);
    expect(isDroppedField("resend-date")).toBe(false);
  });
});

const pieces = [
  "Content-Type: multipart/mixed; boundary=b\r\n",
  "Content-Type: text/calendar\r\n",
  "Content-Transfer-Encoding: base64\r\n",
  "Content-Transfer-Encoding: quoted-printable\r\n",
  'Content-Type: multipart/signed; boundary="c"\r\n',
  "name=x.ics",
  "\r\n",
  "\n",
  "\r",
  "--b\r\n",
  "--b--\r\n",
  "--c\r\n",
  "\r\n--b\r\n",
  "BEGIN:VCALENDAR\r\n",
  organizer,
  'ATTENDEE;CN="',
  '"',
  ";",
  ":",
  "=",
  ",",
  "=0D=0A",
  " ",
  "@",
  "mailto:",
  "%40",
  "\r\n ",
  "T1JHQU5JWkVSOm1haWx0bzphQGIuYw==",
  "\0",
  "\xff\xfe",
  "Content-Type: message/rfc822\r\n",
  "Content-Type: application/pkcs7-mime\r\n",
  "MIAGCSqGSIb3DQEHAqCAMIACAQExgDCA",
  "Final-Recipient: rfc822; olga@owner.example\r\n",
  "Content-Type: message/delivery-status\r\n",
  "charset=utf-16;",
];

it("no message makes the rewriting throw or leaves a correspondent's address in a rewritten calendar", {
  timeout,
}, () => {
  const message = fc
    .array(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary", maxLength: 5 })),
      { maxLength: 40 },
    )
    .map((all) => Buffer.from(all.join(""), "latin1"));
  fc.assert(
    fc.property(message, (bytes) => {
      const { fields, body } = split(bytes);
      const plan = planCalendars(fields, () => body);
      if (plan.kind === "edit") {
        const written = Buffer.concat(writeCalendars(plan.edits, body, change).pieces);
        const again = findCalendars({ message: fields, body: written, budget: new ParseBudget() });
        expect(again.hidden).toBeNull();
        const second = planCalendars(fields, () => written);
        if (second.kind === "edit") {
          const left = calendarAddresses(second.edits).filter((address) => !address.endsWith("@kauke.test"));
          expect(left).toEqual([]);
        }
      }
      writeOwnerParts(body, findOwnerParts(fields, body), owner);
      signedContentOf(bytes);
    }),
    { numRuns },
  );
});
