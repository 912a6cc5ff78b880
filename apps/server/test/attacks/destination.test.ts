/**
 * One account points its aliases at somebody else's mailbox and has them flooded with mail: that person's own mail
 * still arrives at once.
 */
import { startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, expect, test } from "vitest";
import {
  bystanderMailbox,
  expectUnharmed,
  type Scene,
  startScene,
  watchBystander,
} from "./scenes/bystander.testing.ts";
import { confirmMailboxOfScene } from "./scenes/confirm-mailbox.testing.ts";

afterAll(removeDataDirs);

const ATTACKER_ADDRESS = "127.60.0.1";
/** Messages that a mailbox accepts in an hour; one account may send it 20 of them. */
const TOTAL = 60;
const ALIASES = 10;
/**
 * Number of messages to each of the aliases, which all forward to one mailbox: together more than it accepts in an
 * hour.
 */
const MESSAGES = 8;

async function aliasesTo(person: Person, forwardTo: string, count: number): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n++) {
    const { alias, domain } = await person.createAlias({ forwardTo });
    made.push(`${alias}@${domain}`);
  }
  return made;
}

/**
 * Sends messages for these aliases to our server. @returns number of recipients that our server accepted, and its other
 * replies to RCPT
 */
async function bomb({ server }: Scene, aliases: readonly string[], messages: number) {
  const talk = await smtpTalk(server.mxPort, "127.0.0.1", ATTACKER_ADDRESS);
  await talk.ask("EHLO x.example");
  const seen = { taken: 0, others: new Set<string>() };
  for (let n = 0; n < messages; n++) {
    await talk.ask("MAIL FROM:<a@b.example>");
    const before = seen.taken;
    for (const alias of aliases) {
      const answer = await talk.ask(`RCPT TO:<${alias}>`);
      if (answer.startsWith("250")) seen.taken++;
      else seen.others.add(answer);
    }
    if (seen.taken === before) break;
    await talk.ask("DATA");
    expect(await talk.ask(`From: a@b.example\r\nSubject: bomb ${n}\r\n\r\nx\r\n.`)).toMatch(/^250/);
  }
  talk.close();
  return seen;
}

const sentTo = ({ relay }: Scene, subject: string) =>
  relay.messages.filter((it) => it.rcptTo[0] === bystanderMailbox && it.bytes.includes(`Subject: ${subject}`)).length;

test("a mailbox flooded through another account's aliases accepts its owner's mail, and replies to RCPT do not reveal the flood", async () => {
  await using scene = await startScene({
    env: {
      KAUKE_LIMITS: `mail_destination=${TOTAL}/3600`,
      KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8",
      KAUKE_ANSWER_SECONDS: "2",
    },
  });
  await confirmMailboxOfScene(scene);
  const mallory = await registerPerson(scene.server.url);
  // The webhook's port is closed: only the mailbox can accept the mail.
  const aliases = await aliasesTo(mallory, `${bystanderMailbox}, http://127.1.1.1:9/x`, ALIASES);
  let seen = { taken: 0, others: new Set<string>() };
  const attack = bomb(scene, aliases, MESSAGES).then((it) => {
    seen = it;
  });
  expectUnharmed(await watchBystander(scene, attack));
  expect([...seen.others]).toEqual([]);
  expect(seen.taken).toBe(MESSAGES * ALIASES);
  // The owner of the flooded mailbox did not confirm it for Mallory's account, so that account may send it 15 messages
  // a day.
  expect(sentTo(scene, "bomb")).toBe(15);
}, 90_000);

test("a network that floods an alias uses up its own limit, and not the part reserved for mail from elsewhere", async () => {
  const LIMIT = 100;
  // The clock stands still in this test, so that no rate limit is refilled.
  const now = new Date();
  await using forwarding = await startForwardingSystem({
    env: { KAUKE_LIMITS: `mail_alias=${LIMIT}/3600` },
    overrides: { clock: { now: () => now } },
  });
  const { system, person } = forwarding;
  const { alias } = await person.createAlias({ forwardTo: bystanderMailbox });
  const send = async (localAddress: string) => {
    const message = "From: a@b.example\r\nSubject: x\r\n\r\nx\r\n";
    const { last } = await sendMail({ port: system.mxPort, to: `${alias}@kauke.test`, message, localAddress });
    return last.slice(0, 3);
  };
  let taken = 0;
  while ((await send(ATTACKER_ADDRESS)) === "250") taken++;
  expect(taken).toBe(LIMIT + LIMIT / 50);
  expect([await send("127.61.0.1"), await send("127.61.0.1"), await send("127.61.0.1")]).toEqual(["250", "250", "451"]);
  expect(await send("127.62.0.1")).toBe("250");
  expect(await send(ATTACKER_ADDRESS)).toBe("451");
});
