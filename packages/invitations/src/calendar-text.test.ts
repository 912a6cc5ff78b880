import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADDRESS_LINES_MAX, CalendarText } from "./calendar-text.ts";
import { type CalendarChange } from "./change-line.ts";

const reply = (address: string) => `r.${Buffer.from(address).toString("hex")}@kauke.test`;
const person = (address: string) => Buffer.from(/^r\.([0-9a-f]*)@/.exec(address)?.[1] ?? "", "hex").toString();
const inward: CalendarChange = {
  addressFor: (address) => (address.endsWith("@kauke.test") ? address : reply(address)),
  nameFor: (name) => name,
  unreadable: "remove",
};
const outward: CalendarChange = {
  addressFor: (address) => (address.startsWith("r.") ? person(address) : null),
  nameFor: (name) => name,
  unreadable: "keep",
};
const write = (text: string, change: CalendarChange) =>
  CalendarText.read(Buffer.from(text).toString("latin1"), "bytes")?.write(change) ?? null;
const rewrite = (text: string, change = inward) => {
  const written = write(text, change);
  return written === null ? text : Buffer.from(written, "latin1").toString();
};
const unfold = (text: string) => text.replace(/\r?\n[ \t]/g, "");

/** Calendar lines without an address that a program would send mail to. */
const otherLine = fc.constantFrom(
  "BEGIN:VEVENT",
  "UID:a@b.example",
  "DESCRIPTION:mail ann@planner.example\\, or\r\n  organizer: bo",
  "X-MS-OLK-FORCEINSPECTOROPEN:TRUE",
  'X-ALT-DESC;FMTTYPE=text/html:<a href="mailto:a@b.example">',
  "COMMENT:Zu frü\r\n\th 😀",
  "ORGANIZERS:mailto:a@b.example",
  "X-ATTENDEE:mailto:a@b.example",
  "CONTACT:mailto:a@b.example",
  "",
  "no property at all",
);
const name = fc.constantFrom("ann", "bo.b", "x+tag", "o'neil", "jörg", "a&b");
const address = fc
  .tuple(name, fc.constantFrom("planner.example", "x.test", "münchen.example"))
  .map((labels) => labels.join("@"));
const parameter = fc.oneof(
  address.map((mailbox) => `SENT-BY="mailto:${mailbox}"`),
  address.map((mailbox) => `EMAIL=${mailbox}`),
  fc.tuple(address, address).map((both) => `MEMBER=${both.map((mailbox) => `"mailto:${mailbox}"`).join(",")}`),
  fc.constantFrom('CN="Lee, Ann"', "CN=Zoë", "RSVP=TRUE", "X-Y", "X-Z="),
);
const addressLine = fc
  .tuple(fc.constantFrom("ORGANIZER", "ATTENDEE", "Attendee"), fc.array(parameter, { maxLength: 4 }), address)
  .map(([title, parameters, value]) => `${[title, ...parameters].join(";")}:mailto:${value}`);
const calendar = fc.array(fc.oneof(otherLine, addressLine), { maxLength: 20 }).map((all) => `${all.join("\r\n")}\r\n`);

describe("a calendar", () => {
  it("forwarded to the owner and sent back names the same people in the same places", () => {
    fc.assert(
      fc.property(calendar, (text) => {
        const there = rewrite(text);
        // Compares UTF-8 bytes; non-ASCII addresses return percent-encoded, which is the same URI (RFC 6068 §2).
        const back = unfold(rewrite(there, outward)).replace(/(?:%[0-9A-F]{2})+/g, decodeURIComponent);
        expect(back).toBe(unfold(text));
        expect(rewrite(there)).toBe(there);
      }),
    );
  });

  it("keeps every other line byte for byte, including folds, and folds changed lines at 75 octets", () => {
    fc.assert(
      fc.property(calendar, (text) => {
        const isOther = (line: string) => !/^(?:organizer|attendee)[;:]/i.test(line);
        const logical = (whole: string) => whole.split(/\r\n(?![ \t])/);
        const written = rewrite(text);
        expect(logical(written).filter(isOther)).toEqual(logical(text).filter(isOther));
        for (const line of logical(written).filter((line) => !isOther(line))) {
          expect(unfold(line)).not.toMatch(/(?:planner|x|m.*nchen)\.(?:example|test)/);
          for (const folded of line.split("\r\n")) expect(Buffer.byteLength(folded)).toBeLessThanOrEqual(75);
          expect(line.isWellFormed() && !line.includes("\u{fffd}")).toBe(true);
        }
      }),
    );
  });

  it("is not changed when it names only the alias", () => {
    const text = "ATTENDEE;RSVP=TRUE:mailto:shop@kauke.test\r\nORGANIZER:invalid:nomail\r\nATTENDEE:urn:uuid:1-2\r\n";
    expect(write(text, inward)).toBeNull();
  });

  it.each([
    ['ATTENDEE;CN=x;CN="a:mailto:eve@x.test', ""],
    ['ATTENDEE;X="a"b:mailto:eve@x.test', ""],
    ["ORGANIZER:eve at x.test@", ""],
    ["ORGANIZER:https://eve@x.test/principal", ""],
    ["ORGANIZER:mailto:", "ORGANIZER:mailto:"],
    ['ORGANIZER:mailto:"eve @x"@x.test', `ORGANIZER:mailto:${reply('"eve @x"@x.test')}`],
  ])("%s is written as %j", (line, expected) => {
    expect(unfold(rewrite(`${line}\r\n`)).trimEnd()).toBe(expected);
  });

  it("loses address lines beyond the maximum", () => {
    const line = "ATTENDEE:mailto:eve@x.test\r\n";
    const written = rewrite(line.repeat(ADDRESS_LINES_MAX + 5));
    expect(unfold(written).match(/ATTENDEE/g)).toHaveLength(ADDRESS_LINES_MAX);
    expect(written).not.toContain("x.test");
  });

  it("with a hundred consecutive folds can't be read", () => {
    expect(CalendarText.read(`ORG${"\r\n ".repeat(100)}ANIZER:mailto:a@b.test`, "bytes")).toBeNull();
  });

  it("in UTF-16 is written in UTF-16 again", () => {
    const text = "ORGANIZER;CN=Žofie:mailto:a@b.test\r\n";
    expect(CalendarText.read(text, "utf-16")?.write(inward)).toBe(`ORGANIZER;CN=Žofie:mailto:${reply("a@b.test")}\r\n`);
  });
});
