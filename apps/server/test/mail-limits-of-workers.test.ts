/**
 * Limits of the mail path in a system with several mail workers, over real sockets that the kernel spreads over them.
 * Each limit multiplies by the number of workers if they do not exchange what they count.
 */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { type SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { countsKnownTo } from "@kauke/testkit/worker-counts";
import { expect, test, vi } from "vitest";

const WORKERS = 4;
const PER_ALIAS = 40;
/** Connections of one network at a listener (`start-mail.ts`). */
const PER_NETWORK = 200;
const { mx, system, person } = await setUpForwarding({
  env: { KAUKE_WORKERS: String(WORKERS), KAUKE_LIMITS: `mail_alias=${PER_ALIAS}/86400,mail_destination=90/86400` },
});
const message = "From: Ann <ann@example.org>\r\nSubject: hi\r\n\r\nhello\r\n";
let made = 0;

async function newAlias(forwardTo: string): Promise<string> {
  const alias = await person.createAlias({ forwardTo });
  return `${alias.alias}@${alias.domain}`;
}

/** Sends from a block of client addresses that nobody has used before. */
const send = async (to: string) =>
  (await sendMail({ port: system.mxPort, to, message, localAddress: `127.${++made}.0.1` })).last;

test("an alias accepts its limit of messages over all workers, and the next alias its own", async () => {
  const to = await newAlias("ann@inbox.example");
  let accepted = 0;
  for (let sent = 0; sent < PER_ALIAS * WORKERS; sent++) if ((await send(to)).startsWith("250 ")) accepted++;
  expect(accepted).toBeGreaterThanOrEqual(PER_ALIAS);
  // A message takes some milliseconds, so few are accepted beyond the limit before every worker knows of the others'.
  expect(accepted).toBeLessThan(2 * PER_ALIAS);
  expect(await send(await newAlias("bob@inbox.example"))).toMatch(/^250 /);
});

test("a mailbox gets from one account a third of its limit over all workers", async () => {
  const aliases = [await newAlias("cleo@inbox.example"), await newAlias("cleo@inbox.example")];
  for (let sent = 0; sent < 80; sent++) await send(aliases[sent % 2] ?? "");
  const arrived = mx.messages.filter(({ rcptTo }) => rcptTo.includes("cleo@inbox.example")).length;
  expect(arrived).toBeGreaterThanOrEqual(30);
  expect(arrived).toBeLessThan(60);
});

test("the connections of one network are counted over all workers until they end", async () => {
  const open: SmtpTalk[] = [];
  const connect = async (address: string) => {
    const talk = await smtpTalk(system.mxPort, "127.0.0.1", address);
    open.push(talk);
    return talk.greeting;
  };
  for (let opened = 0; opened < PER_NETWORK; opened++) expect(await connect("127.200.0.1")).toMatch(/^220 /);
  await countsKnownTo(WORKERS);
  for (let opened = 0; opened < 20; opened++) expect(await connect("127.200.0.1")).toMatch(/^421 /);
  expect(await connect("127.201.0.1")).toMatch(/^220 /);
  for (const talk of open) talk.close();
  await vi.waitFor(async () => expect(await connect("127.200.0.1")).toMatch(/^220 /));
  for (const talk of open) talk.close();
});
