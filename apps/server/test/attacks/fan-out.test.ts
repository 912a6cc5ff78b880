/** One small message to many aliases of one account: its rows, copies and attempts must not keep others waiting. */
import { isLongRun, printFigures } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { type SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectUnharmed, type Scene, startScene, watchBystander } from "./scenes/bystander.testing.ts";
import { confirmMailboxOfScene } from "./scenes/confirm-mailbox.testing.ts";

/** Number of aliases that the message is sent to: the maximum number of recipients of an SMTP transaction. */
const ALIASES = 100;
/** Number of mailboxes that each alias forwards to; `npm run test:long` uses as many as an alias may have. */
const MAILBOXES = isLongRun ? 10 : 2;

const defaults = { KAUKE_LIMITS: "alias_create=100000/3600", KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8" };
const quick = { KAUKE_LIMITS: `${defaults.KAUKE_LIMITS},mail_account=1000/3600`, KAUKE_ANSWER_SECONDS: "2" };

let scene: Scene;
const wide: string[] = [];
const plain: string[] = [];

beforeAll(async () => {
  scene = await startScene({
    env: isLongRun ? defaults : { ...defaults, ...quick },
  });
  // The bystander's mail during three attacks is more than an unconfirmed mailbox accepts in a day.
  await confirmMailboxOfScene(scene);
  const [one, other] = [await registerPerson(scene.server.url), await registerPerson(scene.server.url)];
  const add = async (person: typeof one, forwardTo: string, to: string[]) => {
    const { alias, domain } = await person.createAlias({ forwardTo });
    to.push(`${alias}@${domain}`);
  };
  const mailboxes = (n: number) => Array.from({ length: MAILBOXES }, (_, k) => `m@d${n}-${k}.example`).join(", ");
  // One alias of each account at a time: an account may have only a few API requests in progress.
  for (let n = 0; n < ALIASES; n++)
    await Promise.all([add(one, mailboxes(n), wide), add(other, `http://127.2.${n}.1:9/x`, plain)]);
}, 300_000);

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await removeDataDirs();
});

interface Flood {
  to: readonly string[];
  connections: number;
  from: string;
  message(n: number): string;
}

async function name(talk: SmtpTalk, to: readonly string[]): Promise<number> {
  await talk.ask("EHLO x.example");
  await talk.ask("MAIL FROM:<a@b.example>");
  let taken = 0;
  for (const it of to) if ((await talk.ask(`RCPT TO:<${it}>`)).startsWith("250")) taken++;
  await talk.ask("DATA");
  return taken;
}

/**
 * All connections name their recipients first, then all messages end at once. @returns number of accepted recipients,
 * and the reply codes
 */
async function flood({ to, connections, from, message }: Flood) {
  const talks = await Promise.all(
    Array.from({ length: connections }, () => smtpTalk(scene.server.mxPort, "127.0.0.1", from)),
  );
  const taken = await Promise.all(talks.map((talk) => name(talk, to)));
  const answers = await Promise.all(talks.map((talk, n) => talk.ask(`${message(n)}\r\n.`)));
  for (const talk of talks) talk.close();
  return { taken: taken.reduce((sum, it) => sum + it, 0), codes: answers.map((it) => it.slice(0, 3)).sort() };
}

async function watch(what: string, attack: Promise<Awaited<ReturnType<typeof flood>>>) {
  const seen = await watchBystander(scene, attack);
  const { failures, ...figures } = seen;
  printFigures(what, { ...figures, failures: failures.length });
  expectUnharmed(seen);
  return await attack;
}

const list = (count: number, of: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => of(n)).join(",\r\n ");

test("a hundred people in Cc of a message to a hundred aliases: the account gets its share of new reply addresses", {
  timeout: 300_000,
}, async () => {
  const connections = isLongRun ? 20 : 2;
  const message = (n: number) =>
    `From: a${n}@b.example\r\nCc: ${list(99, (k) => `p${n}-${k}@people.example`)}\r\nSubject: x\r\n\r\nx`;
  const { taken, codes } = await watch("reply rows", flood({ to: plain, connections, from: "127.70.0.1", message }));
  expect(taken).toBe(connections * ALIASES);
  // One message uses up the account's daily limit of ten thousand reply addresses; the other messages are deferred,
  // and so is everything later.
  const accepted = codes.filter((it) => it === "250").length;
  expect(accepted).toBe(1);
  expect(codes.filter((it) => it === "451").length).toBe(connections - accepted);
  const later = await flood({ to: plain, connections, from: "127.70.0.1", message: (n) => message(connections + n) });
  expect(new Set(later.codes)).toEqual(new Set(["451"]));
});

test("a header of thousands of names, sent to a hundred aliases", { timeout: 300_000 }, async () => {
  const names = (kind: string) => list(900, (n) => `"=?utf-8?q?Na=C3=AFve_${n}?=" <${kind}${n}@people.example>`);
  const message = () =>
    `From: a@b.example\r\nReply-To: ${names("r")}\r\nTo: ${names("t")}\r\nCc: ${names("c")}\r\nSubject: x\r\n\r\nx`;
  const { codes } = await watch(
    "headers",
    flood({ to: wide, connections: isLongRun ? 4 : 1, from: "127.72.0.1", message }),
  );
  expect(codes[0]).toBe("250");
});

test.runIf(isLongRun)("attempts to send each message to a thousand mailboxes", { timeout: 300_000 }, async () => {
  const message = () => "From: a@b.example\r\nSubject: x\r\n\r\nx";
  const connections = 110;
  const { taken, codes } = await watch("attempts", flood({ to: wide, connections, from: "127.71.0.1", message }));
  // At RCPT the account's limits have room for all recipients; after the final dot, other messages may have used them
  // up.
  expect(taken).toBe(connections * ALIASES);
  expect(codes).toContain("451");
  expect(codes.filter((it) => it === "250").length).toBeGreaterThan(20);
});
