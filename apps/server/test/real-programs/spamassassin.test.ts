/**
 * What our rewriting costs in a spam filter's score: each fixture as its own host would send it, and as we forward it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { addressesOf, formatDate, readHeader } from "@kauke/mail-rfc";
import { createFakeDns, type FakeDnsName } from "@kauke/testkit/fakes/fake-dns";
import { type ForwardingSystem, startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { OWN_RELAY, type SpamScore, spamAssassin } from "@kauke/testkit/programs/spamassassin";
import { sendMail } from "@kauke/testkit/send-mail";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folder = new URL("../../../../test-vectors/eml/", import.meta.url);
/** In `npm test` every second fixture. */
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith(".eml"))
  .filter((_, place) => isLongRun || place % 2 === 0);

/**
 * The host that sends the fixtures: `at` is its real address, `shown` the one stated to SpamAssassin, which ignores
 * loopback addresses and scores those of example ranges.
 */
const CLIENT = { at: "127.0.0.7", shown: "44.1.1.7", name: "mail.sender.example" };
const KAUKE = { name: "mail.kauke.test", shown: "44.1.1.2" };
const MORE_MAX = 0.3;

/** DNS in which the SPF record of every sender's domain authorizes the client. */
const zone = new Proxy<Record<string, FakeDnsName>>(
  {},
  {
    get(_, name: string): FakeDnsName {
      if (name === "7.0.0.127.in-addr.arpa") return { ptr: [CLIENT.name] };
      return { a: [CLIENT.at], txt: name.startsWith("_") ? [] : [`v=spf1 ip4:${CLIENT.at} -all`] };
    },
  },
);

const judge = spamAssassin();
if (judge === null) console.log("spamassassin is not installed: messages are not scored.");

describe.skipIf(judge === null)("SpamAssassin", () => {
  let forwarding: ForwardingSystem;

  beforeAll(async () => {
    const overrides = { store: { dkimDomains: ["kauke.test"] } };
    forwarding = await startForwardingSystem({ dns: createFakeDns(zone), overrides });
  });

  afterAll(() => forwarding.close());

  /** Sends the message to a new alias. @param from envelope sender @returns the copy that arrived at the destination */
  async function forwarded(message: Buffer, from: string): Promise<Buffer> {
    const { mx, system, person } = forwarding;
    const { alias } = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const port = system.mxPort;
    mx.messages.length = 0;
    const sent = { port, from, message, to: `${alias}@kauke.test`, helo: CLIENT.name, localAddress: CLIENT.at };
    expect((await sendMail({ ...sent, params: "BODY=8BITMIME SMTPUTF8" })).last).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    const text = (mail?.bytes as Buffer).toString("latin1");
    return Buffer.from(text.replace(`[${CLIENT.at}]`, `[${CLIENT.shown}]`), "latin1");
  }

  /**
   * Builds the versions of a fixture to be scored: as its sender sent it, and as forwarded by us. @param isProven
   * whether the envelope sender authenticates the author
   */
  async function versionsOf(fixture: string, isProven: boolean): Promise<[name: string, bytes: Buffer][]> {
    const message = readFileSync(new URL(fixture, folder));
    const { fields, end } = readHeader(message);
    const [author] = addressesOf({ header: message.subarray(0, end), fields }, "from").mailboxes;
    const copy = await forwarded(message, isProven ? (author?.address ?? "ann@sender.example") : "x@other.example");
    const way = isProven ? "by way of" : "unproven, by way of";
    return [
      [`${fixture} as it came`, received(CLIENT, message)],
      // The destination's host treats Kauke as one of its own relays, so SpamAssassin scores the client named in our
      // Received field.
      [`${fixture} ${way} its own Kauke`, received({ ...KAUKE, shown: OWN_RELAY }, copy)],
      ...(isLongRun ? [[`${fixture} ${way} Kauke`, received(KAUKE, copy)] as [string, Buffer]] : []),
    ];
  }

  /**
   * @returns the fixtures whose score rises by more than `MORE_MAX` points when forwarded, with the rules that make the
   * difference
   */
  function scoredHigher(scores: ReadonlyMap<string, SpamScore>): string[] {
    return [...scores].flatMap(([name, after]) => {
      const [fixture = "", way = ""] = name.split(/ (?=(?:unproven, )?by way)/);
      const before = scores.get(`${fixture} as it came`);
      if (way === "" || before === undefined || after.score - before.score <= MORE_MAX) return [];
      const added = Object.entries(after.rules).filter(([rule]) => !(rule in before.rules));
      return [`${name}: ${before.score} -> ${after.score} by ${JSON.stringify(Object.fromEntries(added))}`];
    });
  }

  test(`forwarding adds at most ${MORE_MAX} points to any fixture`, { timeout: 180_000 }, async () => {
    const messages = new Map<string, Buffer>();
    for (const isProven of isLongRun ? [true, false] : [true]) {
      for (const fixture of fixtures) for (const way of await versionsOf(fixture, isProven)) messages.set(...way);
    }
    const scores = (await judge?.(messages)) ?? new Map<string, SpamScore>();
    expect(scores.size).toBe((isLongRun ? 5 : 2) * fixtures.length);
    expect(scoredHigher(scores)).toEqual([]);
  });
});

/** The Received field that the mailbox' host adds above what it receives from a client. */
function received({ name, shown }: { name: string; shown: string }, message: Buffer): Buffer {
  const field = `Received: from ${name} (${name} [${shown}])\r\n\tby mx.inbox.example with ESMTPS id 4F00BA;\r\n\t${formatDate(new Date())}\r\n`;
  return Buffer.concat([Buffer.from(field), message]);
}
