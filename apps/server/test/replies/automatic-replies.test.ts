/**
 * Automatic answers of an owner's mail program or host to reply addresses: acceptances of meetings, absence notes,
 * receipts.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import type { MailAtFakeMx } from "@kauke/testkit/fakes/fake-mx";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import PostalMime from "postal-mime";
import { beforeEach, describe, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "planner.example": spf });
const home = "anna.real@inbox.example";
const organizer = "ann@planner.example";
const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(async () => {
  mx.reset();
  await choose(false);
});

const choose = (aliasInQuotes: boolean) => person.call("PATCH", "/api/account/settings", { aliasInQuotes });
const lines = (...all: readonly string[]) => all.map((line) => `${line}\r\n`).join("");

async function arrived(): Promise<MailAtFakeMx> {
  await mx.waitForMessages(1);
  const [mail] = mx.messages.splice(0);
  return mail as MailAtFakeMx;
}

const invitation = (attendee: string) =>
  lines(
    "BEGIN:VCALENDAR",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    "UID:77@planner.example",
    "DTSTART:20261201T100000Z",
    "SUMMARY:plans",
    `ORGANIZER;CN=Ann:mailto:${organizer}`,
    `ATTENDEE;RSVP=TRUE:mailto:${attendee}`,
    "END:VEVENT",
    "END:VCALENDAR",
  );

/** Ann sends an invitation to a new alias. @returns the alias' address, and Ann's reply address */
async function invited(): Promise<{ alias: string; ann: string }> {
  const { alias } = await person.createAlias({ forwardTo: home });
  const address = `${alias}@kauke.test`;
  const head = lines(`From: Ann <${organizer}>`, `To: ${address}`, "Subject: plans", "Message-ID: <1@planner.example>");
  const type = lines("MIME-Version: 1.0", "Content-Type: text/calendar; method=REQUEST; charset=utf-8", "");
  const message = head + type + invitation(address);
  await sendMail({ port: system.mxPort, from: organizer, to: address, message });
  const { from } = await PostalMime.parse((await arrived()).bytes);
  return { alias: address, ann: from?.address ?? "" };
}

const accepted = (ann: string) =>
  lines(
    "BEGIN:VCALENDAR",
    "PRODID:-//A program//EN",
    "METHOD:REPLY",
    "BEGIN:VEVENT",
    "UID:77@planner.example",
    "DTSTAMP:20261122T120000Z",
    "DTSTART:20261201T100000Z",
    "SUMMARY:plans",
    `ORGANIZER;CN=Ann:mailto:${ann}`,
    `ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=${home};`,
    ` X-NUM-GUESTS=0:mailto:${home}`,
    "END:VEVENT",
    "END:VCALENDAR",
  );

const head = (ann: string, subject: string, more: readonly string[] = []) =>
  lines(`From: Anna Real <${home}>`, `To: ${ann}`, `Subject: ${subject}`, "MIME-Version: 1.0", ...more);

const parts = (boundary: string, ...all: string[]) =>
  all.map((part) => `--${boundary}\r\n${part}\r\n`).join("") + `--${boundary}--\r\n`;

const calendarPart = (ann: string, encoding: "7bit" | "base64") => {
  const type = lines(
    'Content-Type: text/calendar; charset="UTF-8"; method=REPLY',
    `Content-Transfer-Encoding: ${encoding}`,
    "",
  );
  return (
    type +
    (encoding === "7bit" ? accepted(ann) : Buffer.from(accepted(ann)).toString("base64").replace(/.{76}/g, "$&\r\n"))
  );
};

/** The structure of an acceptance by each of three programs. */
const acceptances: Record<string, (ann: string, text: string) => string> = {
  Gmail: (ann, text) =>
    head(ann, "Accepted: plans @ Tue Dec 1, 2026 11am (CET)", [
      "Sender: Google Calendar <calendar-notification@google.com>",
      'Content-Type: multipart/mixed; boundary="000000000000mixed"',
      "",
    ]) +
    parts(
      "000000000000mixed",
      lines('Content-Type: multipart/alternative; boundary="000000000000alt"', "") +
        parts(
          "000000000000alt",
          lines(
            'Content-Type: text/plain; charset="UTF-8"; format=flowed; delsp=yes',
            "Content-Transfer-Encoding: base64",
            "",
          ) + Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n"),
          lines('Content-Type: text/html; charset="UTF-8"', "Content-Transfer-Encoding: quoted-printable", "") +
            "<html><body><p>Accepted</p></body></html>",
          calendarPart(ann, "7bit"),
        ),
      lines(
        'Content-Type: application/ics; name="invite.ics"',
        'Content-Disposition: attachment; filename="invite.ics"',
      ) +
        lines("Content-Transfer-Encoding: base64", "") +
        Buffer.from(accepted(ann)).toString("base64").replace(/.{76}/g, "$&\r\n"),
    ),
  Outlook: (ann, text) =>
    head(ann, "Accepted: plans", ['Content-Type: multipart/alternative; boundary="_000_outlook_"', ""]) +
    parts(
      "_000_outlook_",
      lines('Content-Type: text/plain; charset="us-ascii"', "Content-Transfer-Encoding: quoted-printable", "") + text,
      lines('Content-Type: text/html; charset="us-ascii"', "Content-Transfer-Encoding: quoted-printable", "") +
        "<html><body><p>Accepted</p></body></html>",
      calendarPart(ann, "base64"),
    ),
  Apple: (ann, text) =>
    head(ann, "Accepted: plans", ['Content-Type: multipart/alternative; boundary="Apple-Mail=_reply"', ""]) +
    parts(
      "Apple-Mail=_reply",
      lines("Content-Type: text/plain; charset=us-ascii", "Content-Transfer-Encoding: 7bit", "") + text,
      calendarPart(ann, "base64"),
    ),
};

const answer = (to: string, message: string, from = home) =>
  sendMail({ port: system.mxPort, from, to, message, helo: "inbox.example" });

describe.each(Object.keys(acceptances))("an acceptance by %s", (name) => {
  const write = acceptances[name] as (ann: string, text: string) => string;

  test("arrives at its organizer from the alias that was invited", async () => {
    const { alias, ann } = await invited();
    const { last } = await answer(ann, write(ann, lines("Anna Real has accepted this invitation.")));
    expect(last).toMatch(/^250 /);
    const { envelopeFrom, rcptTo, bytes } = await arrived();
    expect({ envelopeFrom, rcptTo }).toEqual({ envelopeFrom: alias, rcptTo: [organizer] });
    const email = await PostalMime.parse(bytes);
    expect(email.from?.address).toBe(alias);
    const calendars = email.attachments.filter(({ mimeType }) => /calendar|ics/.test(mimeType));
    expect(calendars.length).toBeGreaterThan(0);
    for (const { content } of calendars) {
      const calendar = Buffer.from(content as ArrayBuffer)
        .toString()
        .replace(/\r?\n[ \t]/g, "");
      expect(calendar).toContain(`mailto:${organizer}`);
      expect(calendar).toMatch(new RegExp(`ATTENDEE.*PARTSTAT=ACCEPTED.*mailto:${alias}`, "i"));
      expect(calendar).not.toContain("anna.real");
    }
  });

  const listed = lines(
    "Anna Real has accepted this invitation.",
    "",
    "Title: plans",
    "When: Tue Dec 1, 2026 11am - 12pm (CET)",
    `Calendar: ${home}`,
    "Who:",
    "    * Ann - organizer",
    `    * ${home}`,
  );

  test("that lists the guests in its text arrives with the alias in the list", async () => {
    const { alias, ann } = await invited();
    expect((await answer(ann, write(ann, listed))).last).toMatch(/^250 /);
    const { text } = await PostalMime.parse((await arrived()).bytes);
    const trimmed = (all: string) => all.split(/\r?\n/).map((line) => line.trim());
    expect(trimmed((text ?? "").trim())).toEqual(trimmed(listed.replaceAll(home, alias).trim()));
  });

  test.each([
    `${home} has accepted this invitation.`,
    `Anna Real <${home}> has accepted your event invitation.`,
    `${home} <${home}> has declined your event invitation.`,
    `${home} hat diese Einladung angenommen.`,
    `${home.toUpperCase()} has tentatively accepted this invitation with this note:`,
  ])("that says %j names the alias there", async (sentence) => {
    const { alias, ann } = await invited();
    expect((await answer(ann, write(ann, lines(sentence, "", "See you")))).last).toMatch(/^250 /);
    const { bytes } = await arrived();
    const text = (await PostalMime.parse(bytes)).text ?? "";
    expect(text.split(/\r?\n/)[0]?.trim()).toBe(sentence.replaceAll(new RegExp(home, "gi"), alias));
    expect(String(bytes)).not.toMatch(/anna\.real/i);
  });

  test.each([
    `Write to ${home} instead.`,
    `${home} has accepted this invitation, but write to me there.`,
    `I think ${home} has accepted this invitation.`,
    `> ${home} has accepted this invitation.`,
    `${home} has accepted the money.`,
    `Calendar: ${home}`,
    `${home}`,
    `From: ${home}\r\nSent: Tue Dec 1, 2026\r\nSubject: plans`,
  ])("that says %j is refused, as a person may have written it", async (sentence) => {
    const { ann } = await invited();
    const said = lines(`${home} has accepted this invitation.`, "", sentence);
    const { last } = await answer(ann, write(ann, said));
    expect(last).toMatch(/^550 5\.7\.1 .*\(part 1(?:\.1)?: text, line 3\)/);
  });

  test("that an answer without a calendar repeats is refused", async () => {
    const { ann } = await invited();
    const sentence = lines(`${home} has accepted this invitation.`);
    const plain = head(ann, "Accepted: plans", ["Content-Type: text/plain", ""]) + sentence;
    expect((await answer(ann, plain)).last).toMatch(/^550 5\.7\.1 .*line 1/);
    const request = write(ann, sentence).replaceAll("METHOD:REPLY", "METHOD:COUNTER");
    // The calendar of two of the programs is encoded, so that its method is still the former one.
    if (!request.includes("METHOD:COUNTER")) return;
    const both = request.replace(
      /^--000000000000mixed\r\nContent-Type: application[^]*?(?=--000000000000mixed--)/m,
      "",
    );
    expect((await answer(ann, both)).last).toMatch(/^550 5\.7\.1 /);
  });
});

describe("the subject of an acceptance", () => {
  const write = (ann: string, subject: string) => {
    const of = acceptances.Apple as (ann: string, text: string) => string;
    return of(ann, lines("Accepted")).replace(/^Subject: .*\r\n/m, `Subject: ${subject}\r\n`);
  };

  test.each([
    ["a sentence", `${home} has accepted this invitation`],
    ["the calendar in brackets", `Accepted: plans @ Tue Dec 1, 2026 11am - 12pm (CET) (${home})`],
    ["folded", `Accepted: plans @ Tue Dec 1, 2026\r\n 11am - 12pm (CET)\r\n (${home})`],
    ["encoded", `=?UTF-8?Q?Zugesagt:_pl=C3=A4ne_(anna=2Ereal=40inbox=2Eexample)?=`],
  ])("names the alias: %s", async (_, subject) => {
    const { alias, ann } = await invited();
    expect((await answer(ann, write(ann, subject))).last).toMatch(/^250 /);
    const { bytes } = await arrived();
    expect((await PostalMime.parse(bytes)).subject).toContain(alias);
    expect(String(bytes)).not.toMatch(/anna[.=]/i);
  });

  test.each([`Write to ${home}`, `Accepted: ${home} plans`, `Re: plans (${home})`, `Accepted: ${home} (${home})`])(
    "%j is refused, as a person may have written it",
    async (subject) => {
      const { ann } = await invited();
      expect((await answer(ann, write(ann, subject))).last).toMatch(/^550 5\.7\.1 .*header/);
    },
  );
});

test.each([
  ["DESCRIPTION", `${home} has accepted this invitation.\\n`, true],
  ["COMMENT;LANGUAGE=en", `${home} has declined your event invitation.`, true],
  ["DESCRIPTION", `${home} has accepted this invitation.\\nWrite to ${home}`, false],
  ["SUMMARY", `${home} has accepted this invitation.`, false],
])("the address in %s of an acceptance's calendar, %j, becomes the alias: %s", async (name, value, isSent) => {
  const { alias, ann } = await invited();
  const of = acceptances.Gmail as (ann: string, text: string) => string;
  const attached = /^--000000000000mixed\r\nContent-Type: application[^]*?(?=--000000000000mixed--)/m;
  const folded = `${name}:${value.slice(0, 40)}\r\n ${value.slice(40)}\r\nSUMMARY:plans`;
  const message = of(ann, lines("Accepted")).replace(attached, "").replace("SUMMARY:plans", folded);
  const { last } = await answer(ann, message);
  if (!isSent) return expect(last).toMatch(/^550 5\.7\.1 .*calendar/);
  expect(last).toMatch(/^250 /);
  const { bytes } = await arrived();
  expect(String(bytes).replaceAll("\r\n ", "")).toContain(`${name}:${value.replace(home, alias)}\r\nSUMMARY:plans\r\n`);
  expect(String(bytes)).not.toContain("anna.real");
});

test("an acceptance in HTML, as Google writes it, names the alias wherever the program named the address", async () => {
  const html = (more: string) =>
    `<html><body><span itemscope itemtype="http://schema.org/InformAction"><span style="display:none" itemprop="about" itemscope itemtype="http://schema.org/Person"><meta itemprop="description" content="${home} has accepted this invitation."/></span></span>` +
    `<table><tr><td><p><a href="mailto:${home}">${home}</a> has accepted this invitation.</p></td></tr></table>` +
    `<h2>Guests</h2><div><span>Ann</span> - organizer</div><div><a href="mailto:${home}">${home}</a></div>${more}</body></html>`;
  const write = (ann: string, more = "") => {
    const of = acceptances.Gmail as (ann: string, text: string) => string;
    return of(ann, lines("x")).replace("<html><body><p>Accepted</p></body></html>", html(more).replaceAll("=", "=3D"));
  };
  const { alias, ann } = await invited();
  expect((await answer(ann, write(ann))).last).toMatch(/^250 /);
  const { bytes } = await arrived();
  expect((await PostalMime.parse(bytes)).html?.split(alias)).toHaveLength(6);
  for (const more of [`<p>Write to ${home}</p>`, `<img alt="${home}">`, `<!-- ${home} -->`])
    expect((await answer(ann, write(ann, more))).last, more).toMatch(/^550 5\.7\.1 /);
});

describe("an absence note to a reply address is sent with the null sender", () => {
  const note = (ann: string, more: readonly string[]) =>
    head(ann, "Out of office", ["Content-Type: text/plain", ...more, "", "Back on Monday."]);

  test.each([
    ["marked as automatic, from the mailbox", home, ["Auto-Submitted: auto-replied"]],
    ["marked as automatic, with parameters", home, ["Auto-Submitted: (vacation) Auto-Replied; owner-email=x"]],
    ["with the null sender", "", ["Auto-Submitted: auto-generated", "X-Auto-Response-Suppress: All"]],
    ["with the null sender, without a mark", "", []],
  ])("%s", async (_, from, more) => {
    const { alias, ann } = await invited();
    expect((await answer(ann, note(ann, more), from)).last).toMatch(/^250 /);
    const { envelopeFrom, rcptTo, bytes } = await arrived();
    expect({ envelopeFrom, rcptTo }).toEqual({ envelopeFrom: "", rcptTo: [organizer] });
    expect((await PostalMime.parse(bytes)).from?.address).toBe(alias);
  });

  test.each([
    ["an ordinary answer", []],
    ["mail that a program made, not an answer", ["Auto-Submitted: auto-generated"]],
    ["mail that says it is not automatic", ["Auto-Submitted: no"]],
  ])("unlike %s", async (_, more) => {
    const { alias, ann } = await invited();
    expect((await answer(ann, note(ann, more))).last).toMatch(/^250 /);
    expect((await arrived()).envelopeFrom).toBe(alias);
  });
});
