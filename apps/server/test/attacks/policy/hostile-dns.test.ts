/**
 * Attacks by what a stranger publishes in DNS or writes into signature fields: records and fields for which a usual
 * library needs more than linear time, and answers that fill the memory. The server authenticates mail on arrival and
 * delivers directly, as a public one does.
 */

import { rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectHarmless } from "../scenes/bystander.testing.ts";
import { type DirectScene, startDirectScene } from "../scenes/direct-scene.testing.ts";

/**
 * Number of messages sent. An earlier version leaked 3 MiB for each, so the number of the long rounds used up its
 * memory.
 */
const MESSAGES = rounds(16, 400);
const zone = {
  "example.net": { txt: ["v=spf1 +all"] },
  "small.example": { txt: [`v=spf1 redirect=x.${"%{h}".repeat(200)}!`] },
  "macros.example": { txt: [`v=spf1 x=${"%{".repeat(15_000)}`] },
  "redirect.example": { txt: [`v=spf1 redirect=x.${"a".repeat(32_000)}!`] },
  "include.example": { txt: [`v=spf1 include:x.${"a".repeat(32_000)}!`] },
  "_mta-sts.policy.example": { txt: [`v=STSv1; id=a${" ".repeat(60_000)}b; x=y`] },
};
let scene: DirectScene;
beforeAll(async () => {
  scene = await startDirectScene({ KAUKE_AUTHENTICATION: "on", KAUKE_LIMITS: "off" });
  Object.assign(scene.dns.zone, zone);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await removeDataDirs();
});

/** Sends one message after the other over the same connection. @returns the replies to their final dots */
async function send(senders: readonly string[], [helo, network]: [helo: string, network: string]): Promise<string[]> {
  const talk = await smtpTalk(scene.server.mxPort, "127.0.0.1", network);
  await talk.ask(`EHLO ${helo}`);
  const replies: string[] = [];
  for (const sender of senders) {
    await talk.ask(`MAIL FROM:<${sender}>`);
    await talk.ask("RCPT TO:<postmaster@kauke.test>");
    await talk.ask("DATA");
    replies.push(await talk.ask("From: a@b.example\r\n\r\nx\r\n."));
  }
  talk.close();
  return replies;
}

test.each(["small", "redirect", "macros", "include"].slice(0, rounds(2, 4)))(
  "the SPF record of %s.example is evaluated quickly",
  async (name) => {
    const attack = send(Array(3).fill(`a@${name}.example`), ["a".repeat(250), "127.11.0.1"]);
    await expectHarmless(scene, `SPF ${name}`, attack);
    expect((await attack).every((reply) => reply.startsWith("250"))).toBe(true);
  },
);

test("signature and ARC fields full of blanks are parsed quickly", async () => {
  const field = (name: string, at: number) => `${name}: i=${at}; n${" ".repeat(15_900)}b=a\r\n`;
  const names = ["ARC-Seal", "ARC-Message-Signature", "ARC-Authentication-Results"];
  const fields = [1, 2, 3, 4, 5].flatMap((at) => names.map((name) => field(name, at))).join("");
  const message = `${fields}From: a@example.org\r\nSubject: x\r\n\r\nbody\r\n`;
  const mail = { port: scene.server.mxPort, to: "postmaster@kauke.test", message, localAddress: "127.12.0.1" };
  const attack = Promise.all([sendMail(mail), sendMail(mail)]);
  await expectHarmless(scene, "blanks", attack);
  expect((await attack).every(({ last }) => last.startsWith("250"))).toBe(true);
});

test("a DMARC record full of blanks is parsed quickly", async () => {
  await scene.addHost("policy.example");
  const to = await scene.aliasTo(await registerPerson(scene.server.url), "mallory@policy.example");
  const message = "From: a@example.org\r\nSubject: x\r\n\r\nbody\r\n";
  const attack = sendMail({ port: scene.server.mxPort, to, message, localAddress: "127.13.0.1" });
  await expectHarmless(scene, "announcement", attack);
  expect((await attack).last).toMatch(/^250/);
  expect(scene.dns.questions).toContain("TXT _mta-sts.policy.example");
});

test("large DNS answers do not fill the memory", async () => {
  const large = { a: Array.from({ length: 4000 }, (_, at) => `10.1.${at >> 8}.${at & 255}`) };
  const ten = Array.from({ length: 10 }, (_, at) => at);
  for (let at = 0; at < MESSAGES; at += 1) {
    scene.dns.zone[`s${at}.evil.example`] = {
      txt: [`v=spf1 ${ten.map((n) => `a:h${n}.s${at}.evil.example`).join(" ")} -all`],
    };
    for (const n of ten) scene.dns.zone[`h${n}.s${at}.evil.example`] = large;
  }
  const senders = Array.from({ length: MESSAGES }, (_, at) => `a@s${at}.evil.example`);
  const share = Math.ceil(MESSAGES / 4);
  const attack = Promise.all(
    [0, 1, 2, 3].map((at) => send(senders.slice(at * share, (at + 1) * share), ["x.example", `127.1${at}.0.2`])),
  );
  await expectHarmless(scene, "large answers", attack);
  expect(
    scene.dns.questions.filter((question) => /^A h\d\.s\d+\.evil\.example$/.test(question)).length,
  ).toBeGreaterThan(0);
});
