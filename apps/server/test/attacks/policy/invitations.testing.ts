/**
 * A stranger's invitation in every MIME form, the system that forwards it, and what tests read in the calendars of the
 * copy that the owner's mailbox receives.
 */
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect } from "vitest";

export const home = "jonas.real@inbox.example";
export const ann = "ann@planner.example";

export const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join("");
export const replyAddressPattern = /r(?:-[a-z2-7]{5}){4}@kauke\.test/g;
/** Matches every address of a stranger in the invitation below. */
export const strangers = /[\w.+-]+@(?:\[?[\w.-]*)planner\.example|ann(?:@|%40|=40)planner/gi;

export const invitation = (alias: string) =>
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

export type InvitationEncoding = "7bit" | "8bit" | "quoted-printable" | "base64";

function encoded(text: string, encoding: InvitationEncoding): string {
  if (encoding === "base64") return `${Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n")}\r\n`;
  if (encoding === "8bit") return text;
  if (encoding === "7bit") return text.replace("ü", "ue");
  const quoted = text.replace(/[=@]|[^\0-\x7f]/gu, (character) =>
    Buffer.from(character).toString("hex").toUpperCase().replace(/../g, "=$&"),
  );
  return quoted.replace(/[^\r\n]{60}(?!\r|=|.\r|.=)/g, "$&=\r\n");
}

export const header = (to: string, more: string[] = []) =>
  lines(`From: Ann <${ann}>`, `To: ${to}`, "Subject: plans", "Message-ID: <1@planner.example>", ...more);

export const part = (type: string, encoding: InvitationEncoding, content: string, more: string[] = []) =>
  lines(`Content-Type: ${type}`, `Content-Transfer-Encoding: ${encoding}`, ...more, "") + encoded(content, encoding);

export const multipart = (kind: string, boundary: string, ...parts: string[]) =>
  lines(`Content-Type: multipart/${kind}; boundary="${boundary}"`, "") +
  parts.map((text) => `--${boundary}\r\n${text}\r\n`).join("") +
  `--${boundary}--\r\n`;

/** Starts the system for all tests of a file. Called at the top level of the file. */
export async function setUpInvitations() {
  const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
  const dns = createFakeDns({ "inbox.example": spf, "planner.example": spf });
  const { mx, system, person } = await setUpForwarding({
    dns,
    env: { KAUKE_RETRY_SCHEDULE: "1s" },
    overrides: { store: { dkimDomains: ["kauke.test"] } },
  });
  const record = dkimRecordOf(system);

  beforeEach(() => mx.reset());

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

  return { mx, system, record, newAlias, forward };
}

/**
 * @returns every calendar of a message, decoded. Independent of the server's parser; knows only the boundaries that
 * these tests write.
 */
export function calendarsOf(bytes: Buffer): string[] {
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

export const unfolded = (calendar: string) => calendar.replace(/\r?\n[ \t]/g, "");

/** @returns the lines of a calendar with an address that a program may write to */
export const addressed = (calendar: string) =>
  unfolded(calendar)
    .split(/\r?\n/)
    .filter((line) => /^(?:organizer|attendee)/i.test(line));

export function expectSafe(calendar: string, alias: string): void {
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
