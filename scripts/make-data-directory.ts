/**
 * Creates a data directory that holds mail in every state, as the code of this commit writes it, for
 * `apps/server/test/operator/old-data-directories.test.ts`: `node scripts/make-data-directory.ts 2026-11-22-a21df47`
 * writes `test-vectors/data-directories/2026-11-22-a21df47.{tar.zst,json}`. Run it before changing a storage format and
 * commit both files. The server is killed while it works, so the directory looks as after a crash.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { AliasWire } from "@kauke/contract";
import { FakeMx, type FakeMxAnswer } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";

const name = process.argv[2] ?? "";
const folder = new URL("../test-vectors/data-directories/", import.meta.url);

/** Current answer of the fake relay to RCPT; `hang` sends no answer. */
let relayAnswer: "250" | "451" | "hang" = "250";
const never = new Promise<FakeMxAnswer>(() => {});

interface Scene {
  relay: FakeMx;
  server: ServerProcess;
  person: Person;
}

async function main(): Promise<void> {
  if (!/^\d{4}-\d{2}-\d{2}-[0-9a-f]{7}$/.test(name)) throw new Error("Name it by date and commit: 2026-11-22-a21df47");
  const relay = await FakeMx.start({ answer: ({ stage }) => (stage === "rcpt" ? answerNow() : undefined) });
  const dataDir = await makeDataDir();
  const server = await startServerProcess({
    dataDir,
    env: { KAUKE_RELAY_URL: `smtp://127.0.0.1:${relay.port}`, KAUKE_ANSWER_SECONDS: "1", KAUKE_LIMITS: "off" },
  });
  const facts = await fill({ relay, server, person: await registerPerson(server.url, "owner@people.example") });
  await server.kill();
  await relay.close();
  const tar = join(tmpdir(), `${name}.tar`);
  execFileSync("tar", ["-cf", tar, "-C", dataDir, "."]);
  const params = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_windowLog]: 27 };
  writeFileSync(new URL(`${name}.tar.zst`, folder), zstdCompressSync(readFileSync(tar), { params }));
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(facts, null, 2)}\n`);
  await removeDataDirs();
}

function answerNow(): FakeMxAnswer | Promise<FakeMxAnswer> | undefined {
  if (relayAnswer === "hang") return never;
  return relayAnswer === "451" ? "451 4.3.0 not now" : undefined;
}

/** @returns what a test must know about the directory: addresses, subjects and counts */
async function fill(scene: Scene) {
  const { person, server } = scene;
  const aliases = await makeAliases(person);
  const smtp = await call(person, "POST", "/api/smtp-credentials", { aliasId: aliases.shop.id });
  const secret = await call(person, "GET", `/api/aliases/${aliases.hook.id}/webhook-secret`);
  await call(person, "PATCH", `/api/aliases/${aliases.paused.id}/toggle`, { active: false });
  const forwarded = await forwardOne(scene, addressOf(aliases.shop));
  relayAnswer = "451";
  await send(server, addressOf(aliases.shop), "deferred");
  await send(server, addressOf(aliases.pair), "deferred for two");
  await send(server, "postmaster@kauke.test", "for the operator");
  await compose(person, aliases.shop, { subject: "scheduled", scheduledAt: inOneDay() });
  relayAnswer = "hang";
  await send(server, addressOf(aliases.shop), "in flight");
  return {
    madeAt: new Date().toISOString(),
    email: person.email,
    password: person.password,
    aliases: Object.fromEntries(Object.entries(aliases).map(([key, alias]) => [key, addressOf(alias)])),
    smtp: (smtp as { credential: { username: string; password: string } }).credential,
    webhookSecret: (secret as { secret: string }).secret,
    ...forwarded,
    /** Subject of each queued message, and how many copies of it must arrive. */
    waiting: { deferred: 1, "deferred for two": 2, "in flight": 1 },
    scheduled: "scheduled",
  };
}

async function makeAliases(person: Person) {
  const make = (alias: string, forwardTo: string) =>
    person.createAlias({ alias, domain: "kauke.test", forwardTo, notes: `notes of ${alias}` });
  return {
    shop: await make("shop.k7", "owner@inbox.example"),
    pair: await make("rent.k7", "owner@inbox.example, rasa@inbox.example"),
    hook: await make("hook.k7", "https://hooks.example.org/mail"),
    paused: await make("forum.k7", "owner@inbox.example"),
  };
}

/** Forwards one message and returns the reply address and the bounce address that the forwarded copy carries. */
async function forwardOne({ relay, server }: Scene, to: string) {
  await send(server, to, "forwarded");
  const mail = (await relay.waitForMessages(1)).find(({ bytes }) => bytes.includes("Subject: forwarded"));
  if (mail === undefined) throw new Error("the relay received a different message first");
  const replyAddress = /^From: .*<([^>]+)>/m.exec(mail.bytes.toString("latin1"))?.[1];
  return { replyAddress, bounceAddress: mail.envelopeFrom };
}

async function send({ mxPort }: ServerProcess, to: string, subject: string): Promise<void> {
  const lines = [
    "From: Ann <ann@sender.example>",
    `To: ${to}`,
    `Subject: ${subject}`,
    "",
    `the text of ${subject}`,
    "",
  ];
  const { last } = await sendMail({ port: mxPort, from: "ann@sender.example", to, message: lines.join("\r\n") });
  if (!last.startsWith("250")) throw new Error(`${subject} was answered ${last}`);
}

async function compose(person: Person, alias: AliasWire, change: Record<string, unknown>): Promise<void> {
  const draft = { to: "ann@sender.example", body: "text", fromAliasId: alias.id, priority: 0, useEncryption: false };
  await call(person, "POST", "/api/email-jobs", { ...draft, ...change });
}

async function call(person: Person, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await person.call(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}`);
  return answer.body;
}

const addressOf = ({ alias, domain }: AliasWire) => `${alias}@${domain}`;
const inOneDay = () => new Date(Date.now() + 86_400_000).toISOString();

await main();
