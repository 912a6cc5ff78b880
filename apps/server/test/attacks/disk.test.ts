/**
 * One account's undelivered mail must not fill the disk, however it arrives, nor take the space of other people's mail.
 */
import { existsSync, readdirSync, statfsSync, statSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs, type ServerProcess } from "@kauke/testkit/server-process";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, expect, test } from "vitest";
import { attackTime, expectUnharmed, type Scene, startScene, watchBystander } from "./scenes/bystander.testing.ts";

afterAll(removeDataDirs);

const MEBIBYTE = 1_048_576;
const ACCOUNT_MIB = 8;
/** Minimum number of accepted messages, of 1 MiB each, that shows that the account used its share. */
const TAKEN_MIN = ACCOUNT_MIB - 2;
const LINE = `${"0123456789abcdef".repeat(4)}\r\n`;
const bodyOf = (sizeBytes: number) => LINE.repeat(Math.ceil(sizeBytes / LINE.length));
const messageOf = (from: string, sizeBytes: number) => `From: ${from}\r\nSubject: full\r\n\r\n${bodyOf(sizeBytes)}`;

/** Bytes of all bodies on disk: queued messages and messages in flight. */
function spoolBytes({ dataDir }: ServerProcess): number {
  let bytes = 0;
  for (const directory of ["spool", "underway"]) {
    if (!existsSync(join(dataDir, directory))) continue;
    for (const name of readdirSync(join(dataDir, directory), { recursive: true }) as string[]) {
      const found = statSync(join(dataDir, directory, name), { throwIfNoEntry: false });
      if (found?.isFile()) bytes += found.size;
    }
  }
  return bytes;
}

const startFullDiskScene = (env: Record<string, string> = {}) =>
  startScene({
    env: {
      KAUKE_LIMITS: "off",
      KAUKE_WEBHOOK_ALLOW: "127.0.0.0/8",
      KAUKE_ANSWER_SECONDS: "1",
      KAUKE_SPOOL_ACCOUNT_MIB: String(ACCOUNT_MIB),
      ...env,
    },
  });

/** Webhook on a port where nothing listens: messages to it stay in the spool. */
const CLOSED_WEBHOOK = "http://127.2.2.2:9/x";

interface Answers {
  taken: number;
  refused: Map<string, number>;
}

function note(answers: Answers, answer: string): void {
  if (/^(?:250|201)/.test(answer)) answers.taken++;
  else answers.refused.set(answer.slice(0, 9), (answers.refused.get(answer.slice(0, 9)) ?? 0) + 1);
}

async function flood({ server }: Scene, aliases: readonly string[]): Promise<Answers> {
  const goesOn = attackTime();
  const answers: Answers = { taken: 0, refused: new Map() };
  const send = async (sender: number) => {
    for (let round = sender; goesOn(answers.refused.size > 0 && answers.taken >= TAKEN_MIN); round++) {
      const to = aliases[round % aliases.length] as string;
      const message = messageOf("eve@evil.example", MEBIBYTE);
      const mail = { port: server.mxPort, to, message, localAddress: `127.50.${sender}.1` };
      note(answers, (await sendMail(mail).catch(() => null))?.last ?? "closed");
    }
  };
  await Promise.all([1, 2, 3, 4].map(send));
  return answers;
}

/** Webhook that accepts connections and never answers: messages to it are in flight until their attempt ends. */
async function silentWebhook() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((done) => server.listen(0, "127.0.9.2", done));
  return {
    url: `http://127.0.9.2:${(server.address() as AddressInfo).port}/x`,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/**
 * Settings for a disk that counts as almost full: the disk reserve is a tebibyte, more than any free space, so every
 * account's share is reduced. The configured share is larger, so that the reduced one is the usual one.
 */
function settingsOfAnAlmostFullDisk(): Record<string, string> {
  const reserveMib = 1_048_576;
  const { bavail, bsize } = statfsSync(tmpdir());
  const share = Math.min(1, (bavail * bsize) / (reserveMib * MEBIBYTE));
  return {
    KAUKE_DISK_RESERVE_MIB: String(reserveMib),
    KAUKE_SPOOL_ACCOUNT_MIB: String(Math.round(ACCOUNT_MIB / share)),
  };
}

const disks: readonly (readonly [string, () => Record<string, string>])[] = [
  ["earlier when the disk is almost full", settingsOfAnAlmostFullDisk],
  ["once it has used its share", () => ({})],
];

// In `npm test` the last test of this file uses up a whole share.
test.each(disks.slice(0, rounds(1, disks.length)))(
  "an account whose mail piles up gets 452 %s, and other people's mail is stored and delivered",
  async (_, env) => {
    await using scene = await startFullDiskScene(env());
    using silent = await silentWebhook();
    const attacker = await registerPerson(scene.server.url);
    const aliases: string[] = [];
    for (const forwardTo of [CLOSED_WEBHOOK, silent.url, CLOSED_WEBHOOK, silent.url, CLOSED_WEBHOOK]) {
      const { alias, domain } = await attacker.createAlias({ forwardTo });
      aliases.push(`${alias}@${domain}`);
    }
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, spoolBytes(scene.server));
    }, 100);
    const attack = flood(scene, aliases);
    const seen = await watchBystander(scene, attack);
    clearInterval(watch);
    const { taken, refused } = await attack;
    printFigures("disk", {
      taken,
      ...Object.fromEntries(refused),
      mib: (most / MEBIBYTE).toFixed(1),
      ...seen,
      failures: seen.failures.length,
    });
    expectUnharmed(seen);
    // Each process may admit one message before it knows of the others'; with header and seal it exceeds a MiB.
    expect(most).toBeLessThan((ACCOUNT_MIB + 1.1) * MEBIBYTE);
    expect([...refused.keys()]).toEqual(["452 4.2.2"]);
    // Control: the attacking account used up its share of the disk.
    expect(taken).toBeGreaterThanOrEqual(TAKEN_MIN);
    // Another account's mail that can't be delivered now is still stored.
    const other = await registerPerson(scene.server.url);
    const { alias, domain } = await other.createAlias({ forwardTo: CLOSED_WEBHOOK });
    const mail = { port: scene.server.mxPort, to: `${alias}@${domain}`, message: messageOf("a@b.example", MEBIBYTE) };
    expect((await sendMail(mail)).last).toMatch(/^250 /);
  },
  240_000,
);

test("submitted, composed and scheduled mail counts together with forwarded mail", async () => {
  await using scene = await startFullDiskScene();
  const person = await registerPerson(scene.server.url);
  const [first, second] = [
    await person.createAlias({ forwardTo: CLOSED_WEBHOOK }),
    await person.createAlias({ forwardTo: CLOSED_WEBHOOK }),
  ];
  const address = `${first.alias}@${first.domain}`;
  const talk = await signedInTalk(scene.server.submissionPort, await person.createSmtpCredential(first.id));
  scene.relay.options.answer = ({ line }) => (line.includes("@away.example") ? "451 4.3.0 later" : undefined);
  const submit = async () => {
    await talk.ask(`MAIL FROM:<${address}>`);
    await talk.ask("RCPT TO:<ann@away.example>");
    await talk.ask("DATA");
    return talk.ask(`${messageOf(address, MEBIBYTE)}.`);
  };
  const compose = async () => {
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    const { status, body } = await person.call("POST", "/api/email-jobs", {
      to: "ann@away.example",
      subject: "later",
      body: bodyOf(900_000),
      priority: 0,
      useEncryption: false,
      fromAliasId: first.id,
      scheduledAt,
    });
    return `${status} ${(body as { code?: string }).code ?? ""}`;
  };
  const forward = async () =>
    (
      await sendMail({
        port: scene.server.mxPort,
        to: `${second.alias}@${second.domain}`,
        message: messageOf("a@b.example", MEBIBYTE),
      })
    ).last;
  const all: string[][] = [];
  for (let round = 0; round < ACCOUNT_MIB; round++) all.push([await submit(), await compose(), await forward()]);
  talk.close();
  const answers = [0, 1, 2].map((way) => all.map((round) => round[way] as string));
  for (const way of answers) expect(way[0]).toMatch(/^(?:250|201)/);
  expect(answers.map((way) => way.at(-1)?.slice(0, 9))).toEqual(["452 4.2.2", "409 spool", "452 4.2.2"]);
  const taken = answers.flat().filter((it) => /^(?:250|201)/.test(it)).length;
  expect(taken).toBeLessThanOrEqual(ACCOUNT_MIB);
  expect(taken).toBeGreaterThanOrEqual(ACCOUNT_MIB - 3);
  expect(spoolBytes(scene.server)).toBeLessThan((ACCOUNT_MIB + 1) * MEBIBYTE);
}, 240_000);
