/**
 * The limits of the mail path over real sockets. Each is set to a small number, is applied at connect or at RCPT, and
 * never causes a permanent failure. Only the limit of a destination (6 messages, 2 of them from one account) is applied
 * in the queue.
 */
import { FakeWebhook } from "@kauke/testkit/fakes/fake-webhook";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { greetedTalk, signedInTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { expect, test, vi } from "vitest";

const message = "From: Ann <ann@example.org>\r\nSubject: hi\r\n\r\nhello\r\n";
const later = "451 4.7.1 Too much mail at present, please try again later";
const limits = {
  register: "40/3600",
  mail_connections_ip: "12/3600",
  mail_messages_ip: "3/3600",
  mail_recipients_ip: "9/3600",
  mail_unknown_ip: "4/3600",
  mail_alias: "2/3600",
  mail_account: "5/3600",
  mail_destination: "6/3600",
};
let passedMs = 0;
let made = 0;
const { mx, system } = await setUpForwarding({
  env: {
    KAUKE_LIMITS: Object.entries(limits)
      .map(([name, value]) => `${name}=${value}`)
      .join(","),
  },
  overrides: { clock: { now: () => new Date(Date.now() + passedMs) } },
});

/** @returns a client address in a network block that no test has used before */
const newClient = () => `127.${++made}.0.1`;

async function newAlias(person: Person, forwardTo = `box${++made}@inbox.example`): Promise<string> {
  const alias = await person.createAlias({ forwardTo });
  return `${alias.alias}@${alias.domain}`;
}

const newPerson = () => registerPerson(system.url);

async function send(to: string, localAddress = newClient()): Promise<string> {
  const { last } = await sendMail({ port: system.mxPort, to, message, localAddress });
  return last;
}

const limited = (name: string) =>
  Number(
    new RegExp(`^kauke_mail_limited_total\\{limit="${name}"\\} (\\d+)$`, "m").exec(
      system.server.metrics.render(),
    )?.[1] ?? 0,
  );

async function rcptTalk(localAddress: string) {
  const talk = await greetedTalk(system.mxPort, { localAddress });
  await talk.ask("MAIL FROM:<ann@example.org>");
  const rcpt = async (address: string) => {
    const reply = await talk.ask(`RCPT TO:<${address}>`);
    return reply;
  };
  return { close: () => talk.close(), rcpt };
}

test("a client that names unknown aliases gets 451 for every recipient, from its whole block, and no other block does", async () => {
  const known = await newAlias(await newPerson());
  const client = newClient();
  const talk = await rcptTalk(client);
  const foreign = ["nobody@kauke.test", "x@gmail.example", "SRS0=aaaaaaaa=AB=example.org=x@kauke.test"];
  for (const address of [...foreign, "no-one@kauke.test"]) expect(await talk.rcpt(address)).toMatch(/^550 /);
  expect(await talk.rcpt("also-nobody@kauke.test")).toBe(later);
  expect(await talk.rcpt(known)).toBe(later);
  expect(await send(known, client.replace(/\.1$/, ".77"))).toBe(later);
  expect(await send(known)).toMatch(/^250 /);
  expect(limited("mail_unknown_ip")).toBe(3);
  talk.close();
});

test("messages of a block are limited, refused before any data, and accepted again in time", async () => {
  const person = await newPerson();
  const [one, other] = [await newAlias(person), await newAlias(person)];
  const client = newClient();
  for (const to of [one, one, other]) expect(await send(to, client)).toMatch(/^250 /);
  expect(await send(other, client)).toBe(later);
  expect(limited("mail_messages_ip")).toBe(1);
  passedMs += 1_300_000;
  expect(await send(other, client)).toMatch(/^250 /);
});

test("recipients named by a block are limited, whether or not they exist", async () => {
  const known = await newAlias(await newPerson());
  const talk = await rcptTalk(newClient());
  for (let named = 0; named < 9; named++) expect(await talk.rcpt(known)).toMatch(/^250 /);
  expect(await talk.rcpt(known)).toBe(later);
  expect(limited("mail_recipients_ip")).toBe(1);
  talk.close();
});

test("connections of a block are limited, and refused at once without a session", async () => {
  const client = newClient();
  for (let opened = 0; opened < 12; opened++) {
    const talk = await smtpTalk(system.mxPort, "127.0.0.1", client);
    expect(talk.greeting).toMatch(/^220 /);
    talk.close();
  }
  expect((await smtpTalk(system.mxPort, "127.0.0.1", client)).greeting).toMatch(/^421 4\.7\.0 /);
  expect((await smtpTalk(system.mxPort, "127.0.0.1", newClient())).greeting).toMatch(/^220 /);
  expect(limited("mail_connections_ip")).toBe(1);
});

test("an alias accepts a limited number of messages, whoever sends them, and the next alias its own", async () => {
  const person = await newPerson();
  const [one, other] = [await newAlias(person), await newAlias(person)];
  for (let sent = 0; sent < 2; sent++) expect(await send(one)).toMatch(/^250 /);
  expect(await send(one)).toBe(later);
  expect(await send(other)).toMatch(/^250 /);
  expect(limited("mail_alias")).toBe(1);
});

test("an account accepts a limited number of messages over all its aliases", async () => {
  const person = await newPerson();
  const [one, other, third] = [await newAlias(person), await newAlias(person), await newAlias(person)];
  for (const to of [one, one, other, other, third]) expect(await send(to)).toMatch(/^250 /);
  expect(await send(third)).toBe(later);
  expect(limited("mail_account")).toBe(1);
});

const arrivedAt = (mailbox: string) =>
  mx.messages.filter((it) => it.rcptTo[0]?.toLowerCase().startsWith(mailbox)).length;

test("one account sends a mailbox a third of what the mailbox accepts, over all aliases and spellings; the rest is queued and arrives in time", async () => {
  const person = await newPerson();
  const mailbox = `shared${++made}`;
  const first = await newAlias(person, `${mailbox}@inbox.example`);
  const second = await newAlias(person, `${mailbox}+x@INBOX.example`);
  for (const to of [first, second, second, first]) expect(await send(to)).toMatch(/^250 /);
  expect(arrivedAt(mailbox)).toBe(2);
  expect(limited("mail_destination")).toBe(2);
  expect(await send(await newAlias(await newPerson(), `${mailbox}@inbox.example`))).toMatch(/^250 /);
  expect(arrivedAt(mailbox)).toBe(3);
  const before = mx.messages.length;
  // An hour passes. The delivery worker notices it when it looks into the queue, at least every 15 seconds.
  passedMs += 3_700_000;
  await mx.waitForMessages(before + 2);
  expect(arrivedAt(mailbox)).toBe(5);
});

test("a mailbox accepts a limited number of messages over all accounts, but the first of every account is delivered", async () => {
  const mailbox = `busy${++made}`;
  const people = [await newPerson(), await newPerson(), await newPerson(), await newPerson()];
  for (const person of people) {
    const to = await newAlias(person, `${mailbox}@inbox.example`);
    for (let sent = 0; sent < 2; sent++) expect(await send(to)).toMatch(/^250 /);
  }
  expect(arrivedAt(mailbox)).toBe(7);
});

test("one account sends all webhooks of a host together what one of them may get", async () => {
  const hook = await FakeWebhook.start();
  const other = await FakeWebhook.start();
  const [person, stranger] = [await newPerson(), await newPerson()];
  const aliases: string[] = [];
  for (const path of ["a", "b", "c", "d"]) aliases.push(await newAlias(person, `${hook.url}/${path}`));
  for (const to of aliases) expect(await send(to)).toMatch(/^250 /);
  expect(hook.requests).toHaveLength(2);
  expect(await send(await newAlias(stranger, `${hook.url}/e`))).toMatch(/^250 /);
  expect(await send(await newAlias(person, `${other.url}/a`))).toMatch(/^250 /);
  await vi.waitFor(() => expect([hook.requests.length, other.requests.length]).toEqual([3, 1]));
  await hook.close();
  await other.close();
});

test("mail to postmaster is limited only by what the sender's block may send", async () => {
  for (let sent = 0; sent < 7; sent++) expect(await send("postmaster@kauke.test")).toMatch(/^250 /);
});

test("mail from one alias to another is not limited by block", async () => {
  const [writer, reader] = [await newPerson(), await newPerson()];
  const made = await writer.createAlias({ forwardTo: "writer@inbox.example" });
  const login = await writer.createSmtpCredential(made.id);
  const talk = await signedInTalk(system.submissionPort, login, { localAddress: newClient() });
  // Four messages: one more than a network block may send in an hour.
  const before = mx.messages.length;
  const aliases = [await newAlias(reader), await newAlias(reader), await newAlias(reader), await newAlias(reader)];
  for (const to of aliases) {
    expect(await talk.ask(`MAIL FROM:<${login.username}>`)).toMatch(/^250 /);
    expect(await talk.ask(`RCPT TO:<${to}>`)).toMatch(/^250 /);
    await talk.ask("DATA");
    expect(await talk.ask(`From: ${login.username}\r\nTo: ${to}\r\nSubject: x\r\n\r\nhello\r\n.`)).toMatch(/^250 /);
  }
  await mx.waitForMessages(before + aliases.length);
  talk.close();
});
