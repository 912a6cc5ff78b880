/**
 * Bulk mail through the limits of sending: a message to a hundred people counts as a hundred, whichever way the account
 * hands it over. A message with more recipients than the account may still write to is sent to nobody.
 */
import { confirmMailbox } from "@kauke/testkit/confirm-mailbox";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { expect, test } from "vitest";

const A_DAY = 12;
const owner = "ann@inbox.example";
const dns = createFakeDns({ "inbox.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } });
const { mx, system } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: `submission=${A_DAY}/86400,automatic_answer=${A_DAY}/86400` },
});

const victims = (count: number) => Array.from({ length: count }, (_, at) => `victim${at}@elsewhere.example`);
const overLimit = /^451 4\.7\.1 .*more people than your account may write to in a day.*sent to nobody/;

/** Hands over one message by submission. @returns the response to it */
async function submitter(
  person: Person,
  field = "X-Mailer: m",
): Promise<(to: readonly string[], text?: string) => Promise<string>> {
  const made = await person.createAlias({ forwardTo: owner });
  const { username, password } = await person.createSmtpCredential(made.id);
  return async (to, text = "now") => {
    const talk = await signedInTalk(system.submissionPort, { username, password });
    await talk.ask(`MAIL FROM:<${username}>`);
    for (const one of to) expect(await talk.ask(`RCPT TO:<${one}>`)).toMatch(/^250 /);
    await talk.ask("DATA");
    const last = await talk.ask(`From: ${username}\r\nSubject: Buy\r\n${field}\r\n\r\n${text}\r\n.`);
    talk.close();
    return last;
  };
}

/** An account whose mailbox is confirmed, so that mail from it is the owner's. */
async function confirmedPerson(): Promise<Person> {
  const person = await registerPerson(system.url);
  await confirmMailbox({ mx, person }, owner);
  return person;
}

/** Writes by mail from the owner's mailbox to send addresses of an alias. */
async function mailer(person: Person): Promise<(people: readonly string[]) => Promise<string>> {
  const { alias } = await person.createAliasToWriteBy({ forwardTo: owner });
  return async (people) => {
    const to = people.map((it) => `${alias}+${it.replace("@", "=")}@kauke.test`);
    const message = `From: ${owner}\r\nTo: ${to.join(", ")}\r\nSubject: Buy\r\n\r\nnow\r\n`;
    return (await sendMail({ port: system.mxPort, from: owner, to, message })).last;
  };
}

const ways = {
  submission: async (person: Person) => submitter(person),
  "send addresses": async (person: Person) => mailer(person),
  "automatic answers": async (person: Person) => submitter(person, "Auto-Submitted: auto-replied"),
};

test.each(Object.keys(ways) as (keyof typeof ways)[])(
  "%s: each recipient counts, and none is written to beyond the limit",
  async (way) => {
    const send = await ways[way](await confirmedPerson());
    expect(await send(victims(A_DAY + 1))).toMatch(overLimit);
    expect(await send(victims(A_DAY - 4))).toMatch(/^250 /);
    expect(await send(victims(5))).toMatch(overLimit);
    expect(await send(victims(4))).toMatch(/^250 /);
    expect(await send(victims(1))).toMatch(overLimit);
    await mx.waitForMessages(A_DAY);
    expect(mx.messages).toHaveLength(A_DAY);
  },
);

test("a message that is not sent as a whole counts for none of its aliases, so its sender may repeat it", async () => {
  const person = await confirmedPerson();
  const [first, second] = [
    await person.createAliasToWriteBy({ forwardTo: owner }),
    await person.createAliasToWriteBy({ forwardTo: owner }),
  ];
  const write = async (people: number) => {
    const to = [first, second].flatMap(({ alias }) =>
      victims(people).map((it) => `${alias}+${it.replace("@", "=")}@kauke.test`),
    );
    const message = `From: ${owner}\r\nSubject: Buy\r\n\r\nnow\r\n`;
    return (await sendMail({ port: system.mxPort, from: owner, to, message })).last;
  };
  for (const _ of [1, 2, 3]) expect(await write(A_DAY / 2 + 1)).toMatch(overLimit);
  expect(await write(A_DAY / 2)).toMatch(/^250 /);
  expect(await write(1)).toMatch(overLimit);
});

test("a recipient that is named twice counts once, and another account has a limit of its own", async () => {
  const send = await submitter(await registerPerson(system.url));
  const twice = victims(A_DAY).flatMap((it) => [
    it,
    it.toUpperCase().replace("ELSEWHERE.EXAMPLE", "elsewhere.example"),
  ]);
  expect(await send(twice)).toMatch(/^250 /);
  expect(await send(victims(1))).toMatch(overLimit);
  const other = await submitter(await registerPerson(system.url));
  expect(await other(victims(1))).toMatch(/^250 /);
});
