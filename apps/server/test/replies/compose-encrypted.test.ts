/** Composed mail that is encrypted: what is sent is an age file and nothing else, or no message at all. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decryptText, encryptText, generateKeyPair, type KeyPair, keyFileText } from "@kauke/age";
import type { CreatedEmailJob } from "@kauke/contract";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

const { mx, system, person } = await setUpForwarding({ env: { KAUKE_UNDO_SECONDS: "1" } });
let fromAliasId: string;
let keys: KeyPair;
const typed = "Labas, Rasa ąčę\n.\nFrom here: -----BEGIN AGE\n\n  Jonas ";

beforeAll(async () => {
  keys = await generateKeyPair();
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  await person.createSmtpCredential(alias.id);
  fromAliasId = alias.id;
});
beforeEach(() => mx.reset());

const post = (change: Record<string, unknown> = {}) =>
  person.call("POST", "/api/email-jobs", {
    to: "rasa@people.example",
    subject: "Sutartis",
    body: typed,
    fromAliasId,
    useEncryption: true,
    recipientPublicKey: keys.publicKey,
    ...change,
  });

/**
 * Composes a message, with these changes to the request's body. @returns the message as its recipient's host received
 * it
 */
async function sent(change: Record<string, unknown> = {}): Promise<{ header: string; body: string; jobId: string }> {
  const { status, body } = await post(change);
  expect(status, JSON.stringify(body)).toBe(201);
  await mx.waitForMessages(1);
  const text = mx.messages[0]?.bytes.toString("latin1") ?? "";
  const end = text.indexOf("\r\n\r\n");
  const [, opening = "", armored = ""] = /^(This message is .*)\r\n\r\n([^]*)$/.exec(text.slice(end + 4)) ?? [];
  expect(opening).toMatch(
    /^This message is encrypted with age\. To read it, paste it at http\S+\/decrypt with your private key\.$/,
  );
  return { header: text.slice(0, end), body: armored, jobId: (body as CreatedEmailJob).jobId };
}

const armorLines =
  /^-----BEGIN AGE ENCRYPTED FILE-----\r\n(?:[A-Za-z0-9+/=]{1,64}\r\n)+-----END AGE ENCRYPTED FILE-----\r\n$/;

describe("an encrypted message", () => {
  test("is one part of plain text: a line that says how to open it and the armor, which decrypts to what was typed", async () => {
    const { header, body, jobId } = await sent();
    expect(header).toContain("\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit");
    expect(header).toContain("\r\nSubject: Sutartis\r\n");
    expect(body).toMatch(armorLines);
    expect(await decryptText(body, { privateKeys: keys.privateKey })).toBe(typed);
    const job = await system.server.store.emailJobs.find(person.user.id, jobId);
    expect(job).toMatchObject({ useEncryption: true });
  });

  test.skipIf(spawnSync("age", ["--version"]).error)("decrypts with the age program, byte for byte", async () => {
    const folder = await mkdtemp(join(tmpdir(), "kauke-age-"));
    try {
      const keyFile = join(folder, "key.txt");
      await writeFile(keyFile, keyFileText(keys), { mode: 0o600 });
      const { body } = await sent();
      const { stdout, status } = spawnSync("age", ["-d", "-i", keyFile], { input: body, encoding: "utf8" });
      expect([status, stdout]).toEqual([0, typed]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("may be for a post-quantum key", async () => {
    const pair = await generateKeyPair("post-quantum");
    const { body } = await sent({ recipientPublicKey: `\n${pair.publicKey} ` });
    expect(body).toMatch(armorLines);
    expect(await decryptText(body, { privateKeys: pair.privateKey })).toBe(typed);
  });

  test("that the browser encrypted is sent unchanged", async () => {
    const text = await encryptText("x".repeat(1_000_000), { publicKeys: [keys.publicKey] });
    const { body } = await sent({ body: `\n${text}\n` });
    expect(body).toBe(text.replaceAll("\n", "\r\n"));
  });

  test("that only looks encrypted is encrypted: text typed beside an age file is not sent in clear", async () => {
    const text = await encryptText("inner", { publicKeys: [keys.publicKey] });
    for (const odd of [`${text}PS: slaptas`, "-----BEGIN AGE ENCRYPTED FILE-----\nslaptas"]) {
      mx.messages.length = 0;
      const { body } = await sent({ body: odd });
      expect(body).toMatch(armorLines);
      expect(await decryptText(body, { privateKeys: keys.privateKey })).toBe(odd);
    }
  });
});

describe("a message that can't be encrypted", () => {
  test("is not sent: the field is named and nothing is stored", async () => {
    const stored = await system.server.store.users.stats(person.user.id);
    const invalid = "This is not an AGE public key";
    const required = "Please provide the recipient's public key for encryption.";
    const cases: [Record<string, unknown>, string, string][] = [
      [{ recipientPublicKey: undefined }, "recipientPublicKey", required],
      [{ recipientPublicKey: null }, "recipientPublicKey", required],
      [{ recipientPublicKey: " " }, "recipientPublicKey", required],
      [{ recipientPublicKey: "age1x" }, "recipientPublicKey", invalid],
      [{ recipientPublicKey: keys.privateKey }, "recipientPublicKey", invalid],
      [{ recipientPublicKey: `${keys.publicKey},${keys.publicKey}` }, "recipientPublicKey", invalid],
      [
        { recipientPublicKey: "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z" },
        "recipientPublicKey",
        invalid,
      ],
      [
        { recipientPublicKey: "age1x", body: await encryptText("x", { publicKeys: [keys.publicKey] }) },
        "recipientPublicKey",
        invalid,
      ],
      [
        { body: `-----BEGIN AGE ENCRYPTED FILE-----\n${"a".repeat(1_100_000)}` },
        "body",
        "The message is too long: 1 MB of text is the most",
      ],
    ];
    for (const [change, field, message] of cases) {
      const { status, body } = await post(change);
      expect([status, body]).toMatchObject([400, { code: "invalid", errors: { [field]: [message] } }]);
      expect(JSON.stringify(body)).not.toContain("SECRET-KEY");
    }
    expect(await system.server.store.users.stats(person.user.id)).toEqual(stored);
    expect(await system.server.store.deliveries.count()).toBe(0);
    expect(mx.messages).toEqual([]);
  });

  test("no log line contains a key or a word of the message", () => {
    const lines = JSON.stringify(system.log.events);
    for (const fact of ["age1", "SECRET-KEY", "Labas", "slaptas", "rasa@"]) expect(lines.includes(fact)).toBe(false);
  });
});
