/** Tests that finding and rewriting calendars takes time linear in the size of the message. */
import { growthOf, leastCpuMs } from "@kauke/mail-rfc/linear-cost.testing";
import { expect, it } from "vitest";
import { change, organizer, owner, split } from "./calendars.testing.ts";
import { findOwnerParts, writeOwnerParts } from "./owner-invitations.ts";
import { CALENDAR_BYTES_MAX, planCalendars, writeCalendars } from "./rewrite-calendars.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const timeout = isLong ? 3_600_000 : 60_000;
/** Bytes of the largest message that the server accepts; `npm test` uses a quarter of it. */
const MESSAGE_BYTES = (isLong ? 25 : 6.25) * 1024 * 1024;
/** Maximum milliseconds of processor time that one turn of the event loop may take for a message of that size. */
const TURN_MS = isLong ? 500 : 150;
/** Bytes of the largest calendar; leaves space for the header fields. */
const LARGEST = CALENDAR_BYTES_MAX - 1000;

/** Builders of the most expensive messages, each of about the given size in bytes. */
const shapes: Record<string, (size: number) => string> = {
  "one calendar of address lines": (size) =>
    `Content-Type: text/calendar\r\n\r\n${"ATTENDEE:mailto:a@b.test\r\n".repeat(size / 26)}`,
  "one calendar of folds": (size) => `Content-Type: text/calendar\r\n\r\n${"ATTEN\r\n DEE".repeat(size / 11)}`,
  "one calendar of line ends": (size) => `Content-Type: text/calendar\r\n\r\n${"\r\n".repeat(size / 2)}`,
  "one line of parameters": (size) =>
    `Content-Type: text/calendar\r\n\r\nATTENDEE${";A=b".repeat(size / 4)}:mailto:a@b.test\r\n`,
  "quoted-printable": (size) =>
    `Content-Type: text/calendar\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${organizer}${"=C3=A9=\r\n".repeat(size / 9)}`,
  delimiters: (size) => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n".repeat(size / 5)}`,
  "lines like delimiters": (size) => `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--bc\r\n".repeat(size / 6)}`,
  "nested parts": (size) =>
    `${Array.from({ length: 30 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join("")}${"x\r\n".repeat(size / 3)}`,
  "calendar fields in an ambiguous message": (size) =>
    `Content-Type: text/plain\r\nContent-Type: text/html\r\n\r\n${"Content-Type: text/x\r\n".repeat(size / 22)}`,
  "a large attachment": (size) =>
    `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: application/pdf\r\n\r\n${`${"A".repeat(76)}\r\n`.repeat(size / 78)}\r\n--b--\r\n`,
  "opaque S/MIME in segments of one octet": (size) => {
    const der = Buffer.concat([
      Buffer.from(
        "308006092a864886f70d010702a080308002010131003080 06092a864886f70d010701 a0802480".replaceAll(" ", ""),
        "hex",
      ),
      Buffer.alloc(Math.floor((size * 3) / 4), Buffer.from("040141", "hex")),
    ]);
    return `Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: base64\r\n\r\n${der.toString("base64")}`;
  },
};

function prepare(text: string) {
  const { fields, body } = split(Buffer.from(text, "latin1"));
  return { fields, body, plan: planCalendars(fields, () => body), parts: findOwnerParts(fields, body) };
}

type Prepared = ReturnType<typeof prepare>;

/** Operations on a message; in production each is one turn of the event loop. */
const turns: Record<string, (message: Prepared) => unknown> = {
  "looking for calendars": ({ fields, body }) => planCalendars(fields, () => body),
  "writing calendars": ({ plan, body }) => plan.kind === "edit" && writeCalendars(plan.edits, body, change),
  "finding parts that name the owner": ({ fields, body }) => findOwnerParts(fields, body),
  "writing parts that name the owner": ({ body, parts }) => writeOwnerParts(body, parts, owner),
};

it.each(Object.entries(shapes))(
  "the cost of %s grows linearly and stays below the limit for one turn",
  { timeout },
  async (shape, make) => {
    const largest = [LARGEST, MESSAGE_BYTES].map((size) => prepare(make(size)));
    // `npm test` measures both searches for every second shape, and both kinds of writing for the others.
    const place = Object.keys(shapes).indexOf(shape);
    const measured = Object.entries(turns).filter((_, at) => isLong || (at + place) % 2 === 0);
    for (const [name, turn] of measured) {
      const costs = { make: (size: number) => prepare(make(size)), run: turn, largest: LARGEST };
      expect(await growthOf(costs), name).toBe("linear");
      for (const message of largest) expect(await leastCpuMs(turn, message, TURN_MS), name).toBeLessThan(TURN_MS);
    }
  },
);
