/**
 * Soft confirmation, end to end: one message of ours per account and mailbox, caps until it is answered, and the
 * effects of the answer.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { expect, test } from "vitest";

const closers = closeAfterEach();

interface Setup {
  mx: FakeMx;
  system: TestSystem;
}

async function setUp(env: Record<string, string> = {}): Promise<Setup> {
  const mx = await FakeMx.start();
  closers.push(() => mx.close());
  return { mx, system: await start(mx, env) };
}

async function start(mx: FakeMx, env: Record<string, string> = {}): Promise<TestSystem> {
  const relay = { KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}` };
  const system = await startSystem({ env: { ...relay, ...env }, confirmation: true });
  closers.push(() => system.close());
  return system;
}

const nameOf = ({ alias, domain }: { alias: string; domain: string }) => `${alias}@${domain}`;
let sent = 0;
const send = async ({ system }: Setup, to: string) => {
  const message = `From: Bob <bob@example.net>\r\nSubject: Visit evil.example ${++sent}\r\n\r\nhello\r\n`;
  const { last } = await sendMail({ port: system.mxPort, from: "bob@example.net", to, message });
  return last;
};
const questions = (mx: FakeMx) => mx.messages.filter((it) => it.bytes.includes("/confirm/"));
const forwards = (mx: FakeMx) => mx.messages.filter((it) => !it.bytes.includes("/confirm/"));

async function question(mx: FakeMx, index = 0) {
  while (questions(mx).length <= index) await mx.waitForMessages(mx.messages.length + 1);
  const mail = questions(mx)[index];
  const text = mail?.bytes.toString("latin1") ?? "";
  return { mail, text, token: /\/confirm\/([a-z2-7]{32})/.exec(text)?.[1] ?? "" };
}

async function post(system: TestSystem, path: string, body: object) {
  const answer = await fetch(`${system.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { state?: string };
}
const say = (system: TestSystem, choice: string, token: string) => post(system, "/api/confirmation", { token, choice });
const standing = async (person: Person) => (await person.listAliases())[0]?.unconfirmed;

test("the first forwarded message makes us ask the mailbox once, in words of ours alone, and arrives itself unchanged", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const person = await registerPerson(system.url);
  const word = "visit.evil.example";
  const address = `ann+${word}@inbox.example`;
  const alias = await person.createAlias({ forwardTo: address, alias: "evil-words", notes: word });
  expect(await standing(person)).toEqual([{ address, state: "new" }]);
  for (const _ of [1, 2]) expect(await send(given, nameOf(alias))).toMatch(/^250/);
  const { mail, text } = await question(mx);
  expect(mail).toMatchObject({ rcptTo: [address], envelopeFrom: "no-reply@kauke.test" });
  expect(text).toMatch(/^From: Kauke <no-reply@kauke\.test>\r$/m);
  expect(text).toMatch(/^To: ann@inbox\.example\r$/m);
  expect(text).toContain("Auto-Submitted: auto-generated");
  expect(text).toMatch(/\/confirm\/[a-z2-7]{32}\r?\n/);
  expect(text).toMatch(/\/confirm\/[a-z2-7]{32}\/not-mine\r?\n/);
  for (const theirs of [word, "evil", person.email, "bob@"]) expect(text).not.toContain(theirs);
  expect(forwards(mx).map((it) => it.rcptTo)).toEqual([[address], [address]]);
  expect(questions(mx)).toHaveLength(1);
  expect(await standing(person)).toEqual([{ address, state: "asked" }]);
  expect(system.log.events.some((it) => JSON.stringify(it).includes("inbox.example"))).toBe(false);
});

test("twenty forwards a day reach an unconfirmed mailbox in all; more wait in the queue with one notice, until it is confirmed", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const [ann, ben] = [await registerPerson(system.url), await registerPerson(system.url)];
  const annas = nameOf(await ann.createAlias({ forwardTo: "both@inbox.example" }));
  const bens = nameOf(await ben.createAlias({ forwardTo: "Both+ben@INBOX.example" }));
  for (let count = 0; count < 10; count++)
    for (const to of [annas, bens]) expect(await send(given, to)).toMatch(/^250/);
  for (const to of [annas, annas, bens]) expect(await send(given, to)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(20);
  expect(await system.server.store.deliveries.count()).toBe(3);
  expect((await ann.notices()).map((it) => it.kind)).toEqual(["not_confirmed"]);
  const { token } = await question(mx);
  const other = await question(mx, 1);
  const isAnns = (await question(mx)).mail?.rcptTo[0] === "both@inbox.example";
  await say(system, "mine", isAnns ? token : other.token);
  expect(await standing(ann)).toBeUndefined();
  expect(await send(given, annas)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(21);
  expect(await send(given, bens)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(21);
});

test("one account leaves a part of an unconfirmed mailbox's twenty to others, whose mail is delivered at once", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const [mallory, ann] = [await registerPerson(system.url), await registerPerson(system.url)];
  const mallorys = nameOf(await mallory.createAlias({ forwardTo: "ann@inbox.example" }));
  const annas = nameOf(await ann.createAlias({ forwardTo: "ann@inbox.example" }));
  for (let count = 0; count < 20; count++) expect(await send(given, mallorys)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(15);
  for (let count = 0; count < 5; count++) expect(await send(given, annas)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(20);
  expect(await system.server.store.deliveries.count()).toBe(5);
});

test("a mailbox is asked five times a day at most, however many accounts forward there and however they spell it", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const spellings = ["v.ictim@gmail.com", "Victim+1@gmail.com", "victim@googlemail.com", "VICTIM@GMAIL.com"];
  for (const forwardTo of [...spellings, "victim+2@gmail.com"]) {
    const alias = await (await registerPerson(system.url)).createAlias({ forwardTo });
    expect(await send(given, nameOf(alias))).toMatch(/^250/);
  }
  await question(mx, 4);
  const sixth = await registerPerson(system.url);
  const alias = await sixth.createAlias({ forwardTo: "vic.tim+3@gmail.com" });
  const before = forwards(mx).length;
  expect(await send(given, nameOf(alias))).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(before);
  expect(await system.server.store.deliveries.count()).toBe(1);
  expect(await standing(sixth)).toEqual([{ address: "vic.tim+3@gmail.com", state: "new" }]);
  const last = await registerPerson(system.url);
  await last.createAlias({ forwardTo: "victim@gmail.com" });
  expect((await last.call("POST", "/api/confirmation/message", { address: "victim@gmail.com" })).status).toBe(429);
  expect(questions(mx)).toHaveLength(5);
  expect(await send(given, nameOf(await sixth.createAlias({ forwardTo: "somebody.else@gmail.com" })))).toMatch(/^250/);
});

test("an account has five unconfirmed mailboxes at most; the sixth is not even asked", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const person = await registerPerson(system.url);
  const forwardTo = [1, 2, 3, 4, 5].map((it) => `m${it}@inbox.example`).join(", ");
  expect(await send(given, nameOf(await person.createAlias({ forwardTo })))).toMatch(/^250/);
  await question(mx, 4);
  const sixth = nameOf(await person.createAlias({ forwardTo: "m6@inbox.example" }));
  const before = forwards(mx).length;
  expect(await send(given, sixth)).toMatch(/^250/);
  expect(questions(mx)).toHaveLength(5);
  expect(forwards(mx)).toHaveLength(before);
  await say(system, "mine", (await question(mx)).token);
  expect(await send(given, sixth)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(before + 1);
});

test("what an unconfirmed mailbox can't accept now waits in the spool if another destination accepts the message", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const person = await registerPerson(system.url);
  const known = nameOf(await person.createAlias({ forwardTo: "known@inbox.example" }));
  await send(given, known);
  await say(system, "mine", (await question(mx)).token);
  const full = nameOf(await person.createAlias({ forwardTo: "full@inbox.example" }));
  for (let count = 0; count < 15; count++) await send(given, full);
  const both = nameOf(await person.createAlias({ forwardTo: "full@inbox.example, known@inbox.example" }));
  const before = forwards(mx).length;
  expect(await send(given, both)).toMatch(/^250/);
  expect(
    forwards(mx)
      .slice(before)
      .map((it) => it.rcptTo),
  ).toEqual([["known@inbox.example"]]);
  expect(await system.server.store.deliveries.count()).toBe(1);
});

test("the answer 'not mine' ends forwarding of that account: 550 at once, the owner is notified, another account's mail still arrives", async () => {
  const given = await setUp();
  const { mx, system } = given;
  const [ann, ben] = [await registerPerson(system.url), await registerPerson(system.url)];
  const annas = nameOf(await ann.createAlias({ forwardTo: "victim@inbox.example" }));
  const bens = nameOf(await ben.createAlias({ forwardTo: "victim@inbox.example" }));
  await send(given, annas);
  const { token } = await question(mx);
  await send(given, bens);
  expect(await say(system, "not_mine", token)).toEqual({ state: "refused" });
  const before = forwards(mx).length;
  expect(await send(given, annas)).toMatch(/^550 5\.7\.1/);
  expect(await send(given, bens)).toMatch(/^250/);
  expect(forwards(mx)).toHaveLength(before + 1);
  expect((await ann.notices()).map((it) => it.kind)).toEqual(["not_yours"]);
  expect(await ben.notices()).toEqual([]);
  await say(system, "block", token);
  expect(await send(given, bens)).toMatch(/^550 5\.7\.1/);
  expect((await ben.notices()).map((it) => it.kind)).toEqual(["not_yours"]);
  expect(forwards(mx)).toHaveLength(before + 1);
});

test("answers are kept over a restart, and nobody is asked twice", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-confirmation-"));
  closers.push(() => rm(dataDir, { recursive: true, force: true }));
  const given = await setUp({ KAUKE_DATA_DIR: dataDir });
  const { mx } = given;
  const person = await registerPerson(given.system.url);
  const to = ["yes", "no", "open"].map((it) => ({ forwardTo: `${it}@inbox.example` }));
  const [yes = "", no = "", open = ""] = (await Promise.all(to.map((it) => person.createAlias(it)))).map(nameOf);
  for (const alias of [yes, no, open]) await send(given, alias);
  await question(mx, 2);
  for (const [name, choice] of [
    ["yes", "mine"],
    ["no", "not_mine"],
  ] as const) {
    const mail = questions(mx).find((it) => it.rcptTo[0]?.startsWith(name));
    const token = /\/confirm\/([a-z2-7]{32})/.exec(mail?.bytes.toString("latin1") ?? "")?.[1] ?? "";
    await say(given.system, choice, token);
  }
  await given.system.close();
  const again = { mx, system: await start(mx, { KAUKE_DATA_DIR: dataDir }) };
  expect(await send(again, yes)).toMatch(/^250/);
  expect(await send(again, no)).toMatch(/^550/);
  expect(await send(again, open)).toMatch(/^250/);
  expect(questions(mx)).toHaveLength(3);
});

test("with limits off nobody is asked and no cap applies", async () => {
  const given = await setUp({ KAUKE_LIMITS: "off" });
  const person = await registerPerson(given.system.url);
  const alias = nameOf(await person.createAlias({ forwardTo: "free@inbox.example" }));
  for (let count = 0; count < 21; count++) expect(await send(given, alias)).toMatch(/^250/);
  expect(questions(given.mx)).toHaveLength(0);
  expect(await given.system.server.store.deliveries.count()).toBe(0);
  expect(await standing(person)).toBeUndefined();
});
