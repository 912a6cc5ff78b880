/**
 * Attacks by SMTP commands that cost the server more than the client and lead to no message. A flood of commands is
 * handled as fast as it comes, so every kind of command must end the session sooner or later.
 */
import { bounds } from "@kauke/server/limits/table";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { type SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectUnharmed, type Scene, startScene, watchBystander } from "./scenes/bystander.testing.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await removeDataDirs();
});

const CONNECTIONS = 20;
const FLOOD_MS = 3000;
const RCPT = "RCPT TO:<postmaster@kauke.test>\r\n";

/** @returns a session that has named the maximum number of recipients */
async function fullEnvelope(at = 0): Promise<SmtpTalk> {
  const talk = await smtpTalk(scene.server.mxPort, "127.0.0.1", `127.${20 + at}.0.1`);
  await talk.ask("EHLO mallory.example");
  await talk.ask("MAIL FROM:<mallory@example.net>");
  talk.send(RCPT.repeat(bounds.message.recipients));
  for (let named = 0; named < bounds.message.recipients; named += 1) expect(await talk.reply()).toMatch(/^250 /);
  return talk;
}

test("a host with too many recipients gets 452 for the surplus, and its message is accepted for the rest", async () => {
  const talk = await fullEnvelope();
  talk.send(RCPT.repeat(bounds.smtpSession.extraRecipients));
  for (let named = 0; named < bounds.smtpSession.extraRecipients; named += 1)
    expect(await talk.reply()).toBe("452 4.5.3 Too many recipients");
  expect(await talk.ask("DATA")).toMatch(/^354 /);
  expect(await talk.ask("From: mallory@example.net\r\n\r\nhi\r\n.")).toMatch(/^250 /);
  talk.close();
});

test("a client that goes on naming recipients is disconnected", async () => {
  const talk = await fullEnvelope();
  talk.send("RCPT\r\n".repeat(bounds.smtpSession.extraRecipients + 100));
  const replies = await talk.rest();
  expect(replies.at(-1)).toBe("421 4.7.0 Too many recipients");
  expect(replies).toHaveLength(bounds.smtpSession.extraRecipients + 1);
});

test("a flood of recipients does no harm to bystanders", { timeout: 60_000 }, async () => {
  const flood = Buffer.from("RCPT\r\n".repeat(5000));
  const talks = await Promise.all(Array.from({ length: CONNECTIONS }, (_, at) => fullEnvelope(at)));
  const sent = (async () => {
    for (const { socket } of talks) {
      const pump = () => {
        while (!socket.destroyed && socket.write(flood));
      };
      socket.on("drain", pump);
      pump();
    }
    await new Promise((resolve) => setTimeout(resolve, FLOOD_MS));
    for (const talk of talks) talk.close();
  })();
  expectUnharmed(await watchBystander(scene, sent));
});
