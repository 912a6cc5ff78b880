/**
 * Attacks on the event loop: input that costs the server more to read than it cost to write. The server authenticates
 * mail on arrival, as a public one does. Each attack is sent several times at once, by networks other than the
 * bystander's.
 */

import { headerLimits, stuff } from "@kauke/mail-rfc";
import { type HostileMessage, hostileMessages } from "@kauke/mail-rfc/hostile-messages.testing";
import { bodyShapes, fill, type Shape } from "@kauke/mail-rfc/hostile-shapes.testing";
import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { isLongRun, printFigures, rounds } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { signedInTalk, type TalkLogin } from "@kauke/testkit/smtp-talk";
import { authenticate as mailauth } from "mailauth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectHarmless, expectUnharmed, type Scene, startScene, watchBystander } from "./scenes/bystander.testing.ts";

const dns = await startFakeDnsServer({
  "example.net": { txt: ["v=spf1 +all"] },
  "example.org": { txt: ["v=spf1 +all"] },
});
const env = { KAUKE_AUTHENTICATION: "on", KAUKE_DNS_SERVERS: dns.address };
const MIB = 1024 * 1024;
const AT_ONCE = 5;
/** Bytes of a header as large as an earlier version accepted; the current limit is lower. */
const HEADER_BYTES = 480 * 1024;

let scene: Scene;
/** The attacker's own alias. */
let alias: string;
beforeAll(async () => {
  // Rate limits are off: they would refuse the attacks' mail, and are tested in other files.
  scene = await startScene({ env: { ...env, KAUKE_LIMITS: "off" } });
  const made = await (await registerPerson(scene.server.url)).createAlias({ forwardTo: "mallory@elsewhere.example" });
  alias = `${made.alias}@${made.domain}`;
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await dns.close();
  await removeDataDirs();
});

const field = (name: string, shape: Omit<Shape, "name">, size: number) =>
  `${name}: ${fill({ name: "", ...shape }, size - name.length - 4)}\r\n`;
const rest = "Subject: x\r\n\r\nbody\r\n";

/** Sends the message over several connections at once. @returns the final reply of each SMTP transaction */
async function attack(message: string | Buffer, to: string, atOnce: number): Promise<string[]> {
  const sendOne = async (at: number) => {
    const mail = { port: scene.server.mxPort, to, message, localAddress: `127.${10 + at}.0.1` };
    return (await sendMail(mail).catch(() => ({ last: "closed" }))).last;
  };
  const replies: string[] = [];
  for (let round = 0; round < rounds(1, 20); round += 1) {
    replies.push(...(await Promise.all(Array.from({ length: atOnce }, (_, at) => sendOne(at)))));
  }
  return replies;
}

interface Target {
  to?: string;
  atOnce?: number;
}

/**
 * Sends the message over `atOnce` connections and fails if bystanders are harmed. @returns the final reply of each SMTP
 * transaction
 */
async function attackHarmlessly(
  name: string,
  message: string | Buffer,
  { to = "postmaster@kauke.test", atOnce = AT_ONCE }: Target = {},
): Promise<string[]> {
  const attacked = attack(message, to, atOnce);
  await expectHarmless(scene, name, attacked);
  return attacked;
}

test("a field folded into short lines takes the parsing library quadratic time, which is the attack", async () => {
  const took = async (size: number) => {
    const message = Buffer.from(`From: a@example.org\r\n${field("X", { piece: "a\r\n " }, size)}${rest}`);
    const began = process.threadCpuUsage();
    await mailauth(message, {
      ip: "127.0.0.1",
      helo: "a.example",
      sender: "",
      mta: "mx.test",
      resolver: async () => [],
      disableBimi: true,
    });
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000;
  };
  await took(8 * 1024);
  let small = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) small = Math.min(small, await took(16 * 1024));
  // This message is four times as large: parsing it would take 4 times as long if the cost were linear, and 16 times if
  // quadratic.
  expect(await took(64 * 1024)).toBeGreaterThan(8 * small);
});

test("one field of 480 KiB folded into short lines is rejected at once", async () => {
  const message = `From: a@example.org\r\n${field("X", { piece: "a\r\n " }, HEADER_BYTES)}${rest}`;
  expect((await attackHarmlessly("a folded field", message)).filter((it) => !it.startsWith("552 5.3.4"))).toEqual([]);
});

test("the largest and most folded fields that the limits allow are parsed quickly", async () => {
  const most = field("X", { piece: `${"a".repeat(60)}\r\n ` }, headerLimits.fieldBytesMax - 2000);
  const message = `From: a@example.org\r\n${most}${most}${rest}`;
  expect((await attackHarmlessly("large folded fields", message)).filter((it) => !it.startsWith("250"))).toEqual([]);
});

const longFroms: readonly (readonly [name: string, piece: string])[] = [
  ["a:a:a", "a:"],
  ["quotes", '"a" '],
  ["comments", "(a"],
  ["::::", ":"],
  ["groups", "a:b@c.test;"],
  ["addresses", "a@b.test,"],
];

test.each(longFroms.slice(0, rounds(3, longFroms.length)))(
  "a From of %s of the maximum length is parsed quickly",
  async (name, piece) => {
    const message = `${field("From", { piece }, headerLimits.fieldBytesMax)}${rest}`;
    await attackHarmlessly(`From: ${name}`, message);
  },
);

test("signatures full of names, tags and semicolons are parsed quickly", async () => {
  const signature = (more: string) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=s; bh=x; b=y; ${more}\r\n`;
  const many = [
    signature(`h=${"from:".repeat(3000)}from`),
    signature(";".repeat(15_000)),
    signature(`h=from; d=${"é".repeat(7000)}; s=${".".repeat(7000)}x`),
    signature("h=from:to").repeat(200),
    `ARC-Authentication-Results: i=1; ${"a=b;;".repeat(6000)}\r\n`,
  ].join("");
  await attackHarmlessly("signatures", `From: a@example.org\r\n${many}${rest}`, { to: alias });
});

const multipart = "From: Ann <a@example.org>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n";
/** Size in bytes of the attacking messages; near the maximum message size in the long rounds only. */
const LARGE_BYTES = rounds(8, 24) * MIB;
const hostileBodies = bodyShapes.filter(({ piece, start, end }) => {
  const isBare = start === undefined && end === undefined;
  return isBare && ["\r\n", ".\r\n", "--b\r\n\r\n", " ", "--bx\r\n", "=41"].includes(piece);
});

test.each(hostileBodies.slice(0, rounds(1, hostileBodies.length)))(
  "a message of the maximum size, full of $name, is forwarded while others are served",
  async (shape) => {
    // Dot-stuffing doubles every dot that begins a line.
    const size = shape.piece.startsWith(".") ? 18 * MIB : 24.9 * MIB;
    const message = Buffer.from(`${multipart}${fill(shape, size)}\r\n`, "latin1");
    const replies = await attackHarmlessly(`a message full of ${shape.name}`, message, { to: alias, atOnce: 1 });
    expect(replies.filter((it) => !it.startsWith("250"))).toEqual([]);
  },
);

function wholeMessage(name: string, size: number): HostileMessage {
  const make = hostileMessages[name];
  if (make === undefined) throw new Error(`no message is called ${name}`);
  return make(size);
}

const wholes: readonly (readonly [name: string, size: number])[] = [
  ["attached messages declared as quoted-printable", 4000],
  ["attached messages declared as base64", LARGE_BYTES * (20 / 24)],
  ["signed content in signed content", 100_000],
  ["fields of encoded words", 4 * MIB],
  ["lines like delimiters of every level", LARGE_BYTES],
  ["headers of short fields", 4 * MIB],
  ["attached messages declared as both in turn", 4000],
  ["fields of semicolons", MIB],
  ["fields of semicolons and blanks", MIB],
];

test.each(wholes.slice(0, rounds(5, wholes.length)))(
  "a message of %s is forwarded while others are served",
  async (name, size) => {
    const { header, body } = wholeMessage(name, size);
    const message = Buffer.from(`${header}\r\n${body}\r\n`, "latin1");
    const replies = await attackHarmlessly(name, message, { to: alias, atOnce: size > 5 * MIB ? 1 : AT_ONCE });
    expect(replies.filter((reply) => !reply.startsWith("250"))).toEqual([]);
  },
);

/** Submits the message with the credential of an alias. @returns the server's reply to the final dot */
async function submit(login: TalkLogin, message: string): Promise<string> {
  const talk = await signedInTalk(scene.server.submissionPort, login, { localAddress: "127.10.0.1" });
  await talk.ask(`MAIL FROM:<${login.username}>`);
  await talk.ask("RCPT TO:<ann@outside.example>");
  expect(await talk.ask("DATA")).toMatch(/^354/);
  talk.send(stuff(Buffer.from(message, "latin1")));
  const last = await talk.ask(".");
  talk.close();
  return last;
}

const submitted: readonly (readonly [name: string, size: number])[] = [
  ["HTML that links to parts", LARGE_BYTES],
  ["lines like delimiters of every level", LARGE_BYTES],
  ["reports of recipients", LARGE_BYTES / 3],
];

test.each(submitted.slice(0, rounds(1, submitted.length)))(
  "a submitted message of %s does not delay anybody else",
  async (name, size) => {
    const person = await registerPerson(scene.server.url);
    const made = await person.createAlias({ forwardTo: "mallory@elsewhere.example" });
    const credential = await person.createSmtpCredential(made.id);
    const { header, body } = wholeMessage(name, size);
    const own = header.replace("From: a@b.test", `From: ${credential.username}\r\nTo: ann@outside.example`);
    const attack = submit(credential, `${own}\r\n${body}\r\n`);
    const seen = await watchBystander(scene, attack);
    printFigures(`submitted: ${name}`, { healthyMs: Math.round(seen.healthyMs), peakMib: seen.peakMib });
    expectUnharmed(seen);
  },
);

// `npm test` has a smaller flood of wrong passwords, in web-flood.test.ts.
test.runIf(isLongRun)("two hundred wrong passwords right after a start do not delay others", async () => {
  await using fresh = await startScene({ env });
  const tries = Array.from({ length: 200 }, (_, at) =>
    fetch(`${fresh.server.url}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: `nobody${at}@example.org`, password: "wrong password" }),
    }).then(({ status }) => status),
  );
  const all = Promise.all(tries);
  const seen = await watchBystander(fresh, all);
  printFigures("200 wrong passwords", {
    healthyMs: Math.round(seen.healthyMs),
    deliveredMs: Math.round(seen.deliveredMs),
  });
  expectUnharmed(seen);
  expect((await all).every((status) => status === 401 || status === 429)).toBe(true);
});

test("an ARC chain whose keys do not exist does not disturb the service", async () => {
  const set = (i: number) =>
    [
      `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? "none" : "pass"}; d=nowhere${i}.example; s=s; b=AAAA`,
      `ARC-Message-Signature: i=${i}; a=rsa-sha256; d=nowhere${i}.example; s=s; h=from; bh=AAAA; b=AAAA`,
      `ARC-Authentication-Results: i=${i}; mx.example; none`,
    ].join("\r\n");
  await attackHarmlessly("ARC keys", `${[3, 2, 1].map(set).join("\r\n")}\r\nFrom: a@example.org\r\n${rest}`);
  expect(scene.server.output()).not.toContain("rejection_unhandled");
});
