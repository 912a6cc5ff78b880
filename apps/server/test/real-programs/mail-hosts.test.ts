/**
 * Postfix and Exim on both sides of us: each sends us every fixture and receives our copy of it, so a message passes
 * through it twice. Bodies arrive byte for byte, header fields except for those we change; a host that greylists, is
 * full or is slow gets every message.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { FakeMx, type MailAtFakeMx } from "@kauke/testkit/fakes/fake-mx";
import { bodyOf, lastingFields } from "@kauke/testkit/forwarded-header";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { exim, postfix, type RunningMailHost } from "@kauke/testkit/programs/mail-host";
import { byMailauth, opendkim, pythonDkim } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folder = new URL("../../../../test-vectors/eml/", import.meta.url);
/** Fixtures that are malformed on purpose: each mail host repairs them in its own way before we receive them. */
const repaired = new Set(["headers-only.eml", "no-headers.eml", "body-at-once.eml"]);
const all = readdirSync(folder).filter((name) => name.endsWith(".eml") && !repaired.has(name));
/**
 * Exim needs a process for each step of each message, so it gets every third fixture, and all of them in the long
 * rounds.
 */
const some = all.filter((_, index) => isLongRun || index % 3 === 0 || all[index] === "plain.eml");
/** Fixtures whose body changes, since addresses in it become reply addresses: see attacks/policy/calendar.test.ts. */
const invitations = new Set(["calendar-invite.eml"]);
/**
 * Programs that verify our signature on mail that passed through a mail host. In authentication.test.ts the same three
 * verify mail that did not.
 */
const judges = (isLongRun ? [byMailauth, pythonDkim(), opendkim()] : [byMailauth]).filter((it) => it !== null);

describe.each([
  { program: postfix, name: postfix.name, fixtures: all },
  { program: exim, name: exim.name, fixtures: some },
])("$name", ({ program, fixtures }) => {
  if (program.missing !== null) {
    console.log(`${program.name} ${program.missing}: its tests are skipped.`);
    // Registers one skipped test, so that the test report counts it; its name states the reason.
    test.skip(`${program.name} ${program.missing}`, () => {});
    return;
  }
  let last: FakeMx;
  let host: RunningMailHost | undefined;
  let system: TestSystem;
  let person: Person;
  let alias: string;

  beforeAll(async () => {
    last = await FakeMx.start();
    // The mail host and the server each need the other's port. The server is started first and told to relay to a free
    // port, on which the mail host then listens.
    const relay = await FakeMx.start();
    const { port } = relay;
    await relay.close();
    system = await startSystem({
      env: { ...relayTo({ port }), KAUKE_RETRY_SCHEDULE: "1s,1s,1s,1s,1s" },
      overrides: { store: { dkimDomains: ["kauke.test"] } },
    });
    host = await program.start({ port, nextHops: { "kauke.test": system.mxPort, "*": last.port }, rule });
    person = await registerPerson(system.url);
    alias = await newAlias("jonas");
  });

  afterAll(async () => {
    await system.close();
    await host?.close();
    await last.close();
  });

  async function newAlias(mailbox: string): Promise<string> {
    const made = await person.createAlias({ forwardTo: `${mailbox}@inbox.example` });
    return `${made.alias}@kauke.test`;
  }

  /** Sends through the mail host, with a sender address that tells the copies apart: SRS keeps it. */
  async function sendThrough(message: Buffer, name: string, to = alias): Promise<void> {
    const params = name === "smtputf8-headers.eml" ? "BODY=8BITMIME SMTPUTF8" : "BODY=8BITMIME";
    const from = `${name.replace(".eml", "")}@sender.example`;
    const { replies, last: answer } = await sendMail({ port: host?.port ?? 0, from, to, message, params });
    expect(answer, replies.join("\n")).toMatch(/^250 /);
  }

  const arrivedFrom = (name: string): MailAtFakeMx | undefined =>
    last.messages.find((it) => it.envelopeFrom.includes(`=${name.replace(".eml", "")}@`));

  test("as sender and as next hop: every fixture arrives", { timeout: 60_000 }, async () => {
    for (const name of fixtures) await sendThrough(readFileSync(new URL(name, folder)), name);
    await last.waitForMessages(fixtures.length);
    expect(fixtures.filter((name) => arrivedFrom(name) === undefined)).toEqual([]);
    expect(last.messages).toHaveLength(fixtures.length);
  });

  test.each(fixtures.filter((name) => !invitations.has(name)))(
    "%s: the body byte for byte, the header except for the fields we change",
    (name) => {
      const sent = readFileSync(new URL(name, folder));
      const arrived = arrivedFrom(name)?.bytes as Buffer;
      expect(bodyOf(arrived).equals(bodyOf(sent))).toBe(true);
      expect(lastingFields(arrived, sent)).toEqual(lastingFields(sent));
    },
  );

  test("both connections used TLS", () => {
    const header = String(arrivedFrom("plain.eml")?.bytes).replace(/\r\n[ \t]+/g, " ");
    const received = [...header.matchAll(/^Received: from .* by (\S+) .*?with (\w+)/gim)];
    const [theirs, ours] = received.map(([, by, protocol]) => `${by} ${protocol?.toUpperCase()}`);
    expect(theirs).toMatch(/^m\S+ ESMTPS$/);
    expect(ours).toBe("mail.kauke.test ESMTPS");
  });

  test("our signature is valid behind it", { timeout: 300_000 }, async () => {
    const record = dkimRecordOf(system);
    const failed: string[] = [];
    for (const name of fixtures) {
      const { bytes } = arrivedFrom(name) as MailAtFakeMx;
      for (const judge of judges) if ((await judge(bytes, record)) !== "pass") failed.push(name);
    }
    expect(failed).toEqual([]);
  });

  test("a next hop that greylists (450), is full (452) or is a tarpit gets each message, once", async () => {
    const mailboxes = ["grey", "full", "tarpit"];
    const before = last.messages.length;
    const body = bodyOf(readFileSync(new URL("plain.eml", folder)));
    for (const mailbox of mailboxes) {
      await sendThrough(readFileSync(new URL("plain.eml", folder)), mailbox, await newAlias(mailbox));
    }
    await last.waitForMessages(before + mailboxes.length);
    await expect.poll(() => system.server.store.deliveries.count(), { timeout: 20_000 }).toBe(0);
    const arrived = last.messages.slice(before);
    expect(arrived.map((it) => it.rcptTo[0]).toSorted()).toEqual(
      mailboxes.map((it) => `${it}@inbox.example`).toSorted(),
    );
    for (const { bytes } of arrived) expect(bodyOf(bytes).equals(body)).toBe(true);
    expect([asked.get("grey@inbox.example"), asked.get("full@inbox.example")]).toEqual([2, 2]);
  });
});

/** Number of RCPT commands that the host received for each recipient. */
const asked = new Map<string, number>();

async function rule(recipient: string, times: number): Promise<string | null> {
  asked.set(recipient, times);
  if (recipient === "grey@inbox.example" && times === 1) return "450 4.2.0 Greylisted, come back later";
  if (recipient === "full@inbox.example" && times === 1) return "452 4.3.1 Insufficient system storage";
  if (recipient === "tarpit@inbox.example") await new Promise((done) => setTimeout(done, 3000));
  return null;
}
