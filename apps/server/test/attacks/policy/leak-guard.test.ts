/**
 * How the mailbox behind an alias can leak with the owner's own mail, unseen by them: in certificates, keys, office
 * files, pictures, archives and attached messages. Tested for every way mail leaves: submission, an answer to a reply
 * address, compose. The control of each case is the same message with a stranger's address, which is sent unchanged.
 */

import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { waitedForCoreMs } from "@kauke/testkit/process-figures";
import { programCarriers, programsHere } from "@kauke/testkit/programs/leak-carrier-programs";
import {
  attached,
  type CarrierEntity,
  type LeakCarrier,
  leakCarriers,
  zip,
} from "@kauke/testkit/programs/leak-carriers";
import { sendMail } from "@kauke/testkit/send-mail";
import { type SmtpTalk, signedInTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { expectUnharmed, startScene, watchBystander } from "../scenes/bystander.testing.ts";

const mailbox = "jonas.real@inbox.example";
const strangersMailbox = "tomas.else@other.example";
const here = programsHere();
const carriers: readonly LeakCarrier[] = [
  ...leakCarriers,
  ...programCarriers.filter(({ program }) => here.has(program)),
];
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });

const { mx, system, person } = await setUpForwarding({ dns, env: { KAUKE_UNDO_SECONDS: "1" } });
let alias: { id: string; address: string; password: string };
let replyAddress: string;
let submission: SmtpTalk;

beforeAll(async () => {
  alias = await newAlias();
  replyAddress = await receiveOnce();
  submission = await signedInTalk(system.submissionPort, { username: alias.address, password: alias.password });
});

afterAll(() => {
  submission.close();
  for (const program of ["openssl", "gpg", "python3"] as const) {
    if (!here.has(program))
      process.stdout.write(`leak guard: cases made with ${program} are skipped, it is not installed\n`);
  }
});

beforeEach(() => mx.reset());

async function newAlias() {
  const made = await person.createAlias({ forwardTo: mailbox });
  const { username, password } = await person.createSmtpCredential(made.id);
  return { id: made.id, address: username, password };
}

/** Has Ann write to the alias. @returns the reply address that stands for her */
async function receiveOnce(): Promise<string> {
  const message = `From: Ann <ann@sender.example>\r\nTo: ${alias.address}\r\nSubject: plans\r\n\r\nhello\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to: alias.address, message });
  const [mail] = await mx.waitForMessages(1);
  return /r(?:-[a-z2-7]{5}){4}@kauke\.test/.exec(String(mail?.bytes))?.[0] as string;
}

const messageOf = (from: string, to: string, { header, body }: CarrierEntity): string =>
  [`From: <${from}>`, `To: <${to}>`, "Subject: Re: plans", ...header, "", body].join("\r\n");

/** Submits a message with this content with the credential of the alias. @returns the reply to the final dot */
async function submit(entity: CarrierEntity): Promise<string> {
  const to = "ann@sender.example";
  await submission.ask(`MAIL FROM:<${alias.address}>`);
  await submission.ask(`RCPT TO:<${to}>`);
  await submission.ask("DATA");
  const message = messageOf(alias.address, to, entity).replace(/^\./gm, "..");
  return submission.ask(`${message}${message.endsWith("\r\n") ? "" : "\r\n"}.`);
}

async function answer(entity: CarrierEntity): Promise<string> {
  const message = messageOf(mailbox, replyAddress, entity);
  return (await sendMail({ port: system.mxPort, from: mailbox, to: replyAddress, message })).last;
}

const compose = (body: string) =>
  person.call("POST", "/api/email-jobs", {
    to: "composed@sender.example",
    subject: "plans",
    body,
    priority: 0,
    useEncryption: false,
    fromAliasId: alias.id,
  });

/**
 * @returns the messages that reached Ann's mailbox; composed mail goes to another address, since it arrives seconds
 * later
 */
const arrived = () => mx.messages.filter(({ rcptTo }) => rcptTo[0] === "ann@sender.example");

async function waitForAnn(count: number) {
  await vi.waitFor(() => expect(arrived().length).toBeGreaterThanOrEqual(count), { timeout: 20_000, interval: 20 });
  return arrived();
}

const made = new Map<string, CarrierEntity>();

/**
 * Builds a message with this address in this format. Cached, because keys and certificates take a while to generate.
 */
function entityOf(carrier: LeakCarrier, address: string): CarrierEntity {
  const key = `${carrier.name} ${address}`;
  const entity = made.get(key) ?? carrier.make(address);
  made.set(key, entity);
  return entity;
}

/**
 * Finds the longest body part of a message. Bodies must arrive unchanged, while boundaries and the header fields of
 * parts are rewritten.
 */
function longestPartOf({ body }: CarrierEntity): string {
  const [preamble = "", ...parts] = body.split(/(?:^|\r\n)--[^\r\n]*\r\n/);
  const bodies = parts.map((part) => part.slice(part.indexOf("\r\n\r\n") + 4).trim());
  return bodies.reduce((longest, part) => (part.length > longest.length ? part : longest), preamble.trim());
}

const refusal = /^550 5\.7\.1 Your message holds the address this alias forwards to \((?:part [\d.]+: )?[^()]+\)\. /;

/**
 * Both ways search alike, so `npm test` sends every other carrier by one of them, in turn; `npm run test:long` sends all
 * by both. `carriers.test.ts` of mail-rfc searches all carriers in every run.
 */
describe.each([
  ["submission", submit, 0],
  ["an answer to a reply address", answer, 1],
] as const)("by %s", (_, send, turn) => {
  test.each(carriers.filter((_, place) => isLongRun || place % 4 === 2 * turn))(
    "$name is refused with the name of its part and what to do, and with a stranger's address it is sent unchanged",
    async (it) => {
      const refused = await send(entityOf(it, mailbox));
      expect(refused).toMatch(refusal);
      expect(refused).toContain("switch the leak guard off in Settings");
      expect(refused.toLowerCase()).not.toContain("inbox.example");
      expect(refused.length).toBeLessThan(512);
      expect(arrived().length).toBe(0);
      const control = entityOf(it, strangersMailbox);
      expect(await send(control)).toMatch(/^250 /);
      const [mail] = await waitForAnn(1);
      expect(mail?.bytes.toString("latin1")).toContain(longestPartOf(control));
    },
  );
});

describe("by the compose form", () => {
  const typed = carriers.filter((it) => it.typed !== undefined).slice(0, rounds(1, carriers.length));

  test.each(typed)("$name is refused, and with a stranger's address it is queued", async (it) => {
    const refused = await compose(it.typed?.(mailbox) as string);
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid" } });
    expect(JSON.stringify(refused.body)).toContain("holds the address this alias forwards to");
    expect((await compose(it.typed?.(strangersMailbox) as string)).status).toBe(201);
  });
});

test("a message that the guard refused is sent once the owner switches the guard off", async () => {
  const hidden = attached("application/pdf", Buffer.from(`%PDF-1.4 (mailto:${mailbox})`));
  expect(await submit(hidden)).toMatch(refusal);
  await person.call("PATCH", "/api/account/settings", { leakGuard: false });
  expect(await submit(hidden)).toBe("250 2.0.0 Queued");
  await waitForAnn(1);
  await person.call("PATCH", "/api/account/settings", { leakGuard: true });
  expect(await submit(hidden)).toMatch(refusal);
});

test("the refusal says what to do about a certificate, a key and winmail.dat, and where in a text the address stands", async () => {
  const text = { header: ["Content-Type: text/plain"], body: `one\r\ntwo\r\nwrite to ${mailbox}\r\n` };
  expect(await submit(text)).toContain("(part 1: text, line 3). Take it out, or");
  const key = attached("application/pgp-keys", Buffer.from(`\xc6\x01a\xcd<Jonas <${mailbox}>`, "latin1"));
  expect(await submit(key)).toContain(
    "(part 2: an OpenPGP key or signature). Leave it out, use a key made for the alias",
  );
  const signature = attached("application/pkcs7-signature", Buffer.from(`0\x81\x80\x16\x18${mailbox}0\r`, "latin1"));
  expect(await submit(signature)).toContain("(part 2: an S/MIME certificate or signature). Send it unsigned");
  const winmail = attached("application/ms-tnef", Buffer.from(mailbox, "utf16le"));
  expect(await submit(winmail)).toContain("(part 2: winmail.dat). Send the message as plain text or HTML");
});

test("other mailboxes that contain the owner's are not refused: longer names and longer domains", async () => {
  const others = `x.${mailbox} ${mailbox}.example ${mailbox.replace("@", "@mail.")}`;
  expect(await submit({ header: ["Content-Type: text/plain"], body: `${others}\r\n` })).toMatch(/^250 /);
  expect(await submit(attached("text/csv", Buffer.from(others)))).toMatch(/^250 /);
  await waitForAnn(2);
});

test.runIf(isLongRun)("an ordinary message with 20 MiB of photos in an archive is sent", async () => {
  const photo = Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * 7919 + (index >> 3)) & 255));
  const photos = Array.from({ length: 14 }, (_, index): [string, Buffer] => [
    `${index}.jpg`,
    Buffer.alloc(1_048_576, photo),
  ]);
  expect(await submit(attached("application/zip", zip(photos, { isStored: true })))).toMatch(/^250 /);
  await waitForAnn(1);
});

/** Archives that unpack to many times their size. In `npm test` one is too large and one too deep. */
const bombs: readonly (readonly [string, () => CarrierEntity])[] = [
  ["a gzip file of two gigabytes", () => attached("application/gzip", gzipOfZeros(2048))],
  ["a gzip file in itself, thirty deep", () => attached("application/gzip", gzipTower(30))],
  ["an archive of ten members of a gigabyte", () => attached("application/zip", zipOfZeros(10, 1024))],
  ["a PDF with a stream of two gigabytes", () => attached("application/pdf", pdfOfZeros(2048))],
  ["an archive of 60,000 members", () => attached("application/zip", zip(members(60_000)))],
];

const MIB = 1_048_576;

/** Deflated zeros, 1 KiB for each mebibyte, made by repeating a compressed block. */
function zerosDeflated(mebibytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(MIB), { finishFlush: 3 });
  return Buffer.concat([...Array.from({ length: mebibytes }, () => block), deflateRawSync(Buffer.alloc(0))]);
}

function zipOfZeros(count: number, mebibytes: number): Buffer {
  const data = zerosDeflated(mebibytes);
  const head = Buffer.alloc(30);
  head.write("PK\x03\x04", "latin1");
  head[8] = 8;
  head.writeUInt32LE(data.length, 18);
  return Buffer.concat(Array.from({ length: count }, () => [head, data]).flat());
}

const pdfOfZeros = (mebibytes: number): Buffer =>
  Buffer.concat([
    Buffer.from("%PDF-1.4\n1 0 obj << /Filter /FlateDecode >>\nstream\n"),
    deflateSync(Buffer.alloc(0)).subarray(0, 2),
    zerosDeflated(mebibytes),
    Buffer.from("\nendstream\n"),
  ]);

const gzipOfZeros = (mebibytes: number): Buffer =>
  Buffer.concat([gzipSync(Buffer.alloc(0)).subarray(0, 10), zerosDeflated(mebibytes), Buffer.alloc(8)]);

const members = (count: number): [string, Buffer][] =>
  Array.from({ length: count }, (_, index) => [`${index}`, Buffer.from(`member ${index}`)]);

function gzipTower(depth: number): Buffer {
  let bytes = Buffer.from("the end");
  for (let level = 0; level < depth; level += 1) bytes = gzipSync(bytes);
  return bytes;
}

describe("decompression bombs are refused as such", () => {
  test.each(bombs.slice(0, rounds(2, bombs.length)))("%s", async (name, make) => {
    const entity = make();
    const began = performance.now();
    const { longestTurnMs, result } = await withTurnsWatched(() => submit(entity));
    const seconds = (performance.now() - began) / 1000;
    printFigures(`leak guard, ${name}`, {
      KiB: Math.round(entity.body.length / 1024),
      "answered after s": seconds.toFixed(1),
      "longest turn ms": longestTurnMs.toFixed(0),
    });
    expect(result).toMatch(
      /^550 5\.7\.1 Your message can't be searched for the address this alias forwards to: part 2: [^:]+ (?:unpacks to too much|is packed too often)\. /,
    );
    expect(seconds).toBeLessThan(20);
    expect(arrived().length).toBe(0);
  });

  test("an archive of 10,000 members is not a bomb, and is searched to its last member", async () => {
    const archive = [...members(10_000), ["last", Buffer.from(`by ${mailbox}`)] as [string, Buffer]];
    expect(await submit(attached("application/zip", zip(archive.slice(0, -1))))).toMatch(/^250 /);
    await waitForAnn(1);
    expect(await submit(attached("application/zip", zip(archive)))).toMatch(refusal);
  });
});

/**
 * Measures the longest time for which this thread's event loop was blocked, less the time other programs had the core.
 */
async function withTurnsWatched<T>(work: () => Promise<T>): Promise<{ longestTurnMs: number; result: T }> {
  let longestTurnMs = 0;
  let [last, waited] = [performance.now(), waitedForCoreMs(process.pid)];
  const timer = setInterval(() => {
    const [now, waitedNow] = [performance.now(), waitedForCoreMs(process.pid)];
    longestTurnMs = Math.max(longestTurnMs, now - last - 5 - (waitedNow - waited));
    [last, waited] = [now, waitedNow];
  }, 5);
  try {
    return { result: await work(), longestTurnMs };
  } finally {
    clearInterval(timer);
  }
}

test.runIf(isLongRun)(
  "an account that sends decompression bombs does not delay another one's mail",
  { timeout: 300_000 },
  async () => {
    await using scene = await startScene({ env: { KAUKE_LIMITS: "off" } });
    const attacker = await registerPerson(scene.server.url);
    const { id } = await attacker.createAlias({ forwardTo: mailbox });
    await attacker.createSmtpCredential(id);
    const bomb = gzipOfZeros(600).toString("base64");
    const answers: number[] = [];
    const attack = async () => {
      for (let round = 0; round < rounds(1, 12); round += 1) {
        const jobs = Array.from({ length: 8 }, () =>
          attacker.call("POST", "/api/email-jobs", {
            to: "ann@sender.example",
            subject: "x",
            body: bomb,
            priority: 0,
            useEncryption: false,
            fromAliasId: id,
          }),
        );
        answers.push(...(await Promise.all(jobs)).map(({ status }) => status));
      }
    };
    expectUnharmed(await watchBystander(scene, attack()));
    expect(new Set(answers)).toEqual(new Set([400, 429]));
  },
);
