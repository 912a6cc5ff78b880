/**
 * What the owner's mail program writes by itself to a reply address, an acceptance or a read receipt, reaches the
 * stranger as written by the alias, whichever program wrote it.
 */
import { sendMail } from "@kauke/testkit/send-mail";
import { describe, expect, test } from "vitest";
import {
  addressed,
  ann,
  calendarsOf,
  header,
  home,
  invitation,
  lines,
  multipart,
  part,
  replyAddressPattern,
  setUpInvitations,
  unfolded,
} from "./invitations.testing.ts";

const { mx, system, newAlias, forward } = await setUpInvitations();

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
    expect(bytes.toString()).not.toMatch(replyAddressPattern);
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
