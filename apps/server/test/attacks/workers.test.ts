/**
 * Attacks on a server with two mail workers: what a stranger or an account may use is a share over both. The whole
 * folder runs with two workers in `npm run test:long`; these are a few of its attacks for `npm test`.
 */
import { startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { greetedTalk, type SmtpTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { countsKnownTo } from "@kauke/testkit/worker-counts";
import { afterAll, expect, test, vi } from "vitest";
import { addressesOf, Crowd } from "./scenes/crowd.testing.ts";

const MEBIBYTE = 1024 * 1024;
const ALIAS_LIMIT = 20;
/** Messages that a mailbox accepts in an hour; one account may send it a third of them. */
const DESTINATION_LIMIT = 30;
/** The clock stands still, so that no rate limit is refilled. */
const now = new Date();
const { mx, system, person, close } = await startForwardingSystem({
  env: {
    KAUKE_WORKERS: "2",
    KAUKE_LIMITS: `mail_alias=${ALIAS_LIMIT}/3600, mail_destination=${DESTINATION_LIMIT}/3600`,
  },
  overrides: { clock: { now: () => now } },
});
afterAll(close);

const countsKnown = () => countsKnownTo(2);
const metric = (name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(system.server.metrics.render())?.[1] ?? Number.NaN);

async function newAlias(forwardTo: string): Promise<string> {
  const { alias, domain } = await person.createAlias({ forwardTo });
  return `${alias}@${domain}`;
}

/** Sends a message from a local address, and waits until both workers have counted it. @returns the reply code */
async function send(to: string, localAddress: string): Promise<string> {
  const message = "From: a@b.example\r\nSubject: x\r\n\r\nx\r\n";
  const { last } = await sendMail({ port: system.mxPort, to, message, localAddress });
  await countsKnown();
  return last.slice(0, 3);
}

test("a flood of connections from one network over both workers gets the share of one network, and others are served", async () => {
  const addresses = addressesOf(1, () => "127.70.0.1", 450);
  using crowd = await Crowd.gather({ port: system.mxPort, addresses });
  await vi.waitFor(() => expect(crowd.members.every((it) => it.heard() !== "" || !it.isOpen())).toBe(true));
  // Each worker admits connections before it knows of the other's; the excess is evicted once both know.
  await vi.waitFor(() => {
    const greeted = crowd.open.filter((it) => it.heard().startsWith("220 "));
    expect(greeted.length).toBeLessThanOrEqual(200);
  });
  // Control: the share was used up.
  expect(crowd.open.length).toBeGreaterThan(150);
  const talk = await smtpTalk(system.mxPort, "127.0.0.1", "127.71.0.1");
  expect(talk.greeting).toMatch(/^220 /);
  talk.close();
});

test("messages that a network never finishes take its share of memory over both workers", async () => {
  const to = await newAlias("memory@inbox.example");
  const talks: SmtpTalk[] = [];
  const part = Buffer.alloc(8 * MEBIBYTE, `${"0123456789abcdef".repeat(4)}\r\n`);
  for (let n = 0; n < 12; n++) {
    const talk = await greetedTalk(system.mxPort, { localAddress: "127.72.0.1" });
    talks.push(talk);
    await talk.ask("MAIL FROM:<eve@evil.example>");
    await talk.ask(`RCPT TO:<${to}>`);
    if ((await talk.ask("DATA")).startsWith("354")) await new Promise((sent) => talk.socket.write(part, sent));
    await countsKnown();
  }
  // A quarter of the memory budget of 128 MiB; gauges are sent twice a second.
  await vi.waitFor(() => expect(metric("kauke_message_memory_bytes")).toBeGreaterThan(16 * MEBIBYTE));
  expect(metric("kauke_message_memory_bytes")).toBeLessThanOrEqual(32 * MEBIBYTE);
  expect(await send(to, "127.73.0.1")).toBe("250");
  for (const talk of talks) talk.close();
  await vi.waitFor(() => expect(metric("kauke_message_memory_bytes")).toBe(0));
});

test("an alias accepts its limit over both workers", async () => {
  const to = await newAlias("limit@inbox.example");
  const replies: string[] = [];
  for (let n = 0; n < ALIAS_LIMIT + 6; n++) replies.push(await send(to, "127.74.0.1"));
  expect(replies.filter((it) => it === "250")).toHaveLength(ALIAS_LIMIT);
});

test("an account sends one mailbox its third of what the mailbox accepts over both workers", async () => {
  const mailbox = "flooded@inbox.example";
  const aliases = [await newAlias(mailbox), await newAlias(mailbox)];
  for (let n = 0; n < 16; n++) expect(await send(aliases[n % 2] as string, "127.75.0.1")).toBe("250");
  expect(mx.messages.filter((it) => it.rcptTo[0] === mailbox)).toHaveLength(DESTINATION_LIMIT / 3);
});

test("an alias that was paused or deleted gets no mail through either worker once the API has answered", async () => {
  const aliases = [
    await person.createAlias({ forwardTo: "stale@inbox.example" }),
    await person.createAlias({ forwardTo: "stale@inbox.example" }),
  ] as const;
  const [paused, deleted] = aliases;
  const talks: SmtpTalk[] = [];
  for (let n = 0; n < 8; n++) talks.push(await greetedTalk(system.mxPort, { localAddress: `127.76.${n}.1` }));
  const rcptAll = async ({ alias, domain }: { alias: string; domain: string }) => {
    const replies: string[] = [];
    for (const talk of talks) {
      await talk.ask("RSET");
      await talk.ask("MAIL FROM:<a@b.example>");
      replies.push((await talk.ask(`RCPT TO:<${alias}@${domain}>`)).slice(0, 3));
    }
    return new Set(replies);
  };
  for (const alias of aliases) expect([...(await rcptAll(alias))]).toEqual(["250"]);
  expect((await person.call("DELETE", `/api/aliases/${deleted.id}`)).status).toBeLessThan(300);
  expect([...(await rcptAll(deleted))]).toEqual(["550"]);
  expect((await person.call("PATCH", `/api/aliases/${paused.id}/toggle`, { active: false })).status).toBe(200);
  // A paused alias accepts mail and discards it.
  expect([...(await rcptAll(paused))]).toEqual(["250"]);
  for (const talk of talks) {
    await talk.ask("DATA");
    expect(await talk.ask("From: a@b.example\r\nSubject: x\r\n\r\nx\r\n.")).toMatch(/^250 /);
    talk.close();
  }
  expect(mx.messages.filter((it) => it.rcptTo[0] === "stale@inbox.example")).toEqual([]);
});
