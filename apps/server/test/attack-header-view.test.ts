/**
 * The header that is authenticated is the header that is forwarded, however a message hides fields from one of the
 * programs that read it.
 */
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, describe, expect, test } from "vitest";

const dns = createFakeDns({});
/** The attacker's own domain, whose SPF passes. */
const attacker: FakeDnsZone = { "evil.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } };
const bank = (policy: string): FakeDnsZone => ({
  "bank.example": { txt: ["v=spf1 -all"] },
  "_dmarc.bank.example": { txt: [`v=DMARC1; p=${policy}`] },
});

const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(() => {
  dns.zone = {};
  mx.reset();
});

/** Sends a message to a new alias. @param wire the message's bytes, sent as they are, without dot-stuffing */
async function send(wire: string) {
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const talk = await smtpTalk(system.mxPort, "127.0.0.1");
  await talk.ask("EHLO client.example");
  await talk.ask("MAIL FROM:<eve@evil.example>");
  await talk.ask(`RCPT TO:<${alias.alias}@kauke.test>`);
  await talk.ask("DATA");
  talk.send(wire);
  const last = await talk.ask(".");
  talk.close();
  return { last, text: mx.messages.at(-1)?.bytes.toString("latin1") ?? "" };
}

const isMarkedUnverified = (text: string) => /^From:[^]*?Unverified/m.test(text.split("\r\nSubject", 1)[0] as string);
const rest = "Subject: hi\r\n\r\nbody\r\n";

const ambiguous = [
  ["an empty line of a bare LF before it", `X-A: 1\n\r\nFrom: Bank <ceo@bank.example>\r\n${rest}`],
  ["two bare LF before it", `X-A: 1\n\nX-B: 2\r\nFrom: Bank <ceo@bank.example>\r\n${rest}`],
  ["another From behind a bare LF", `X-A: 1\nFrom: eve@evil.example\n\r\nFrom: Bank <ceo@bank.example>\r\n${rest}`],
] as const;

const hidden = [
  ["another From after it", `From: Bank <ceo@bank.example>\r\nFrom: eve@evil.example\r\n${rest}`],
  ["two authors in one field", `From: Bank <ceo@bank.example>, eve@evil.example\r\n${rest}`],
] as const;

describe("the author that mail programs show is the author that is authenticated", () => {
  test.each(hidden)("rejected if the author's domain has p=reject: %s", async (_, wire) => {
    dns.zone = { ...attacker, ...bank("reject") };
    expect((await send(wire)).last).toMatch(/^550 5\.7\.(?:1|26) /);
    expect(mx.messages).toEqual([]);
  });

  test.each(ambiguous)("refused if programs see different fields, with any policy: %s", async (_, wire) => {
    for (const policy of ["none", "reject"]) {
      dns.zone = { ...attacker, ...bank(policy) };
      expect((await send(wire)).last).toBe("550 5.6.11 Lines must end in CRLF");
    }
    expect(mx.messages).toEqual([]);
  });

  test.each(hidden)("marked if the author's domain has p=none: %s", async (_, wire) => {
    dns.zone = { ...attacker, ...bank("none") };
    const { last, text } = await send(wire);
    expect(last).toMatch(/^250 /);
    expect(text).toContain("ceo");
    expect(isMarkedUnverified(text)).toBe(true);
  });

  test("control: the attacker's own name passes authentication and is not marked", async () => {
    dns.zone = { ...attacker, ...bank("reject") };
    const { last, text } = await send(`From: Eve <eve@evil.example>\r\n${rest}`);
    expect(last).toMatch(/^250 /);
    expect(isMarkedUnverified(text)).toBe(false);
  });
});

describe("a header line that begins with a dot its sender did not double", () => {
  test.each(["Reply-To", "Sender", "Disposition-Notification-To", "From"])(
    "brings no %s past the rewriting",
    async (name) => {
      dns.zone = attacker;
      const { text } = await send(`From: Eve <eve@evil.example>\r\n.${name}: eve@evil.example\r\n${rest}`);
      const names = text.split("\r\n\r\n", 1)[0]?.match(/^[^\s:]+(?=:.*eve@evil\.example)/gim);
      expect(text).toContain("Subject: hi");
      expect(names ?? []).toEqual([]);
    },
  );
});
