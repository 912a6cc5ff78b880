/**
 * Mail forwarded encrypted: whoever has the key gets the original byte for byte, nobody else anything of it, and
 * plaintext is never sent.
 */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encryptArmored, encryptedLength } from "@kauke/age/node-encrypter";
import type { AliasWire } from "@kauke/contract";
import { dkimRecordOf } from "@kauke/testkit/dkim-record";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { fieldOf, headerText } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { byMailauth, pythonDkim } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import {
  ageProgram,
  decryptForwarded,
  encryptedFileOf,
  insertStoredKey,
  type StoredKey,
} from "@kauke/testkit/stored-key";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

if (ageProgram === null)
  console.log("Some tests are skipped: the age program is not installed (Debian: apt-get install age)");

const folder = fileURLToPath(new URL("../../../test-vectors/eml", import.meta.url));
const fixtures = readdirSync(folder).filter((name) => name.endsWith(".eml"));
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "sender.example": spf });

let isEncrypterBroken = false;
const { mx, hook, system, person } = await setUpForwarding({
  dns,
  env: { KAUKE_RETRY_SCHEDULE: "1s,1s,2s" },
  overrides: {
    store: { dkimDomains: ["kauke.test"] },
    encrypter: {
      encryptedLength,
      async encrypt(plaintext, publicKey) {
        if (isEncrypterBroken) throw new Error("broken on purpose");
        return encryptArmored(plaintext, publicKey);
      },
    },
  },
});
const record = dkimRecordOf(system);
/** Key to which the person's forwarded mail is encrypted unless an alias says otherwise. */
let key: StoredKey;

beforeAll(async () => {
  key = await insertStoredKey(system.server.store, person.user.id);
  await encryptTo(key.id);
});

beforeEach(() => {
  mx.reset();
  hook.reset();
  isEncrypterBroken = false;
});

const encryptTo = (choice: string) => person.call("PATCH", "/api/account/settings", { sealTo: choice });
const encryptAlias = ({ id }: AliasWire, choice: string) =>
  person.call("PUT", `/api/aliases/${id}`, { sealTo: choice });
const newAlias = (forwardTo = "jonas@inbox.example") => person.createAlias({ forwardTo });

const send = async ({ alias }: AliasWire, message: Buffer | string, from = "ann@sender.example") => {
  const to = `${alias}@kauke.test`;
  return (await sendMail({ port: system.mxPort, from, to, message, params: "BODY=8BITMIME SMTPUTF8" })).last;
};

async function forwarded(alias: AliasWire, message: Buffer | string) {
  expect(await send(alias, message)).toMatch(/^250 /);
  const mail = (await mx.waitForMessages(1))[0];
  if (mail === undefined) throw new Error("no message arrived");
  return mail;
}

/** Words of the test message that occur nowhere else, so that they are found only where its content leaked. */
const secrets = {
  name: "Onuté-Vardenytė",
  subject: "zirzubilas",
  body: "kukulaitis",
  fileName: "sutartis-4711.pdf",
  messageId: "slaptasid99",
  address: "ann@sender.example",
  helo: "paslaptis.sender.example",
};
const secretMail = (to: string) =>
  [
    `From: ${secrets.name} <${secrets.address}>`,
    `To: ${to}`,
    "Cc: Bo Slaptas <bo@third.example>",
    `Subject: ${secrets.subject}`,
    "Date: Sat, 21 Nov 2026 12:00:00 +0200 (zoneword)",
    `Message-ID: <${secrets.messageId}@sender.example>`,
    "References: <thread77@third.example>",
    "MIME-Version: 1.0",
    `Content-Type: application/pdf; name="${secrets.fileName}"`,
    "",
    secrets.body,
    "",
  ].join("\r\n");
const shownWords = [
  ...Object.values(secrets),
  "Slaptas",
  "third.example",
  "thread77",
  "zoneword",
  "sender.example",
  "12:00",
];

describe("a message forwarded encrypted", () => {
  test.each(fixtures)("%s decrypts to the original, byte for byte", async (name) => {
    const original = readFileSync(`${folder}/${name}`);
    const { bytes } = await forwarded(await newAlias(), original);
    expect((await decryptForwarded(encryptedFileOf(bytes), key)).equals(original)).toBe(true);
  });

  test("decrypts as well with a megabyte of bytes of every kind", async () => {
    const line = Buffer.from(Array.from({ length: 255 }, (_, at) => at).filter((it) => ![0, 10, 13].includes(it)));
    const body = Buffer.concat(Array.from({ length: 4200 }, () => Buffer.concat([line, Buffer.from("\r\n")])));
    const original = Buffer.concat([Buffer.from("From: a@sender.example\r\nSubject: big\r\n\r\n"), body]);
    const { bytes } = await forwarded(await newAlias(), original);
    expect(original.length).toBeGreaterThan(1024 * 1024);
    expect((await decryptForwarded(encryptedFileOf(bytes), key)).equals(original)).toBe(true);
  });

  test("decrypts as well with a post-quantum key", async () => {
    const quantum = await insertStoredKey(system.server.store, person.user.id, "post-quantum");
    const alias = await newAlias();
    expect((await encryptAlias(alias, quantum.id)).status).toBe(200);
    const { bytes } = await forwarded(alias, secretMail("x@kauke.test"));
    expect(
      (await decryptForwarded(encryptedFileOf(bytes), quantum)).equals(Buffer.from(secretMail("x@kauke.test"))),
    ).toBe(true);
  });

  test("shows a placeholder for the subject, a nameless reply address, the alias, the verdicts and a notice", async () => {
    const alias = await newAlias();
    const { bytes, rcptTo, envelopeFrom } = await forwarded(alias, secretMail("x@kauke.test"));
    const address = `${alias.alias}@kauke.test`;
    expect(rcptTo).toEqual(["jonas@inbox.example"]);
    expect(envelopeFrom).toMatch(/^srs0-[a-z2-7]{26}-[a-z2-7]{2}-[a-z2-7]{13}@kauke\.test$/);
    expect(fieldOf(bytes, "Subject")).toBe("[...]");
    expect(fieldOf(bytes, "From")).toMatch(/^r(?:-[a-z2-7]{5}){4}@kauke\.test$/);
    expect(fieldOf(bytes, "To")).toBe(address);
    expect(fieldOf(bytes, "Date")).toBe("Sat, 21 Nov 2026 10:00:00 +0000");
    expect(fieldOf(bytes, "Message-ID")).toMatch(/^<[a-z2-7]{32}@kauke\.test>$/);
    expect(fieldOf(bytes, "Authentication-Results")).toMatch(/; spf=pass; dkim=none; dmarc=\w+; arc=none$/);
    expect(String(bytes)).toContain('Content-Type: application/vnd.age; name="message.eml.age"');
    expect(String(bytes)).toContain("age -d -i key.txt message.eml.age > message.eml");
    const names = [...headerText(bytes).matchAll(/^([A-Za-z-]+):/gm)].map((found) => found[1]);
    expect(names).toEqual([
      "DKIM-Signature",
      "Delivered-To",
      "Kauke-Sealed",
      "Authentication-Results",
      "Date",
      "From",
      "To",
      "Subject",
      "Message-ID",
      "MIME-Version",
      "Content-Type",
    ]);
  });

  test("says if its sender is not authenticated", async () => {
    const alias = await newAlias();
    await send(alias, secretMail("x@kauke.test"), "eve@other.example");
    const [mail] = await mx.waitForMessages(1);
    expect(fieldOf(mail?.bytes as Buffer, "From")).toMatch(/^Unverified sender <r(?:-[a-z2-7]{5}){4}@kauke\.test>$/);
  });

  test("contains nothing of the original outside the age file, nor does its envelope", async () => {
    const alias = await newAlias();
    const mail = await forwarded(alias, secretMail("x@kauke.test"));
    const file = encryptedFileOf(mail.bytes);
    const outside = `${mail.mailLine} ${mail.bytes.toString("latin1").replace(file.toString("latin1"), "")}`;
    expect(shownWords.filter((word) => outside.includes(word))).toEqual([]);
    // Control: the texts searched for are present if the message is not encrypted.
    mx.messages.length = 0;
    await encryptAlias(alias, "off");
    const plain = String((await forwarded(alias, secretMail("x@kauke.test"))).bytes);
    expect(shownWords.filter((word) => plain.includes(word)).length).toBeGreaterThan(7);
  });

  test("is signed by our domain, as independent programs verify it", async () => {
    const { bytes } = await forwarded(await newAlias(), secretMail("x@kauke.test"));
    expect(await byMailauth(bytes, record)).toBe("pass");
    expect((await pythonDkim()?.(bytes, record)) ?? "pass").toBe("pass");
  });

  test("decrypts through the API as well", async () => {
    const { bytes } = await forwarded(await newAlias(), secretMail("x@kauke.test"));
    const body = { encryptedText: encryptedFileOf(bytes).toString(), privateKey: key.privateKey };
    expect(await person.call("POST", "/api/decrypt-manual", body)).toMatchObject({
      status: 200,
      body: { success: true, decryptedText: secretMail("x@kauke.test") },
    });
  });

  test("can be answered: the reply reaches the correspondent from the alias", async () => {
    const alias = await newAlias();
    const { bytes } = await forwarded(alias, secretMail("x@kauke.test"));
    const to = fieldOf(bytes, "From");
    mx.messages.length = 0;
    const answer = `From: jonas@inbox.example\r\nTo: ${to}\r\nSubject: Re: [...]\r\n\r\nmy answer\r\n`;
    const said = await sendMail({ port: system.mxPort, from: "jonas@inbox.example", to, message: answer });
    expect(said.last).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    expect(mail?.rcptTo).toEqual([secrets.address]);
    expect(mail?.envelopeFrom).toBe(`${alias.alias}@kauke.test`);
  });

  test("keeps the address to answer to if that is not the author", async () => {
    const message = "From: list@sender.example\r\nReply-To: Desk <desk@sender.example>\r\nSubject: x\r\n\r\nx\r\n";
    const { bytes } = await forwarded(await newAlias(), message);
    const [from, replyTo] = [fieldOf(bytes, "From"), fieldOf(bytes, "Reply-To")];
    expect(replyTo).toMatch(/^r(?:-[a-z2-7]{5}){4}@kauke\.test$/);
    expect(replyTo).not.toBe(from);
  });

  test("that comes back to its alias is a loop", async () => {
    const alias = await newAlias();
    const { bytes } = await forwarded(alias, secretMail("x@kauke.test"));
    expect(await send(alias, bytes)).toMatch(/^554 5\.4\.6 /);
  });

  test("that other servers encrypted ten times before is a loop; with fewer the count goes up by one", async () => {
    const sealed = (count: string) => `From: ann@sender.example\r\nKauke-Sealed: ${count}\r\n\r\nx\r\n`;
    const alias = await newAlias();
    expect(await send(alias, sealed("10"))).toMatch(/^554 5\.4\.6 /);
    expect(fieldOf((await forwarded(alias, sealed("9"))).bytes, "Kauke-Sealed")).toBe("10");
    mx.messages.length = 0;
    expect(fieldOf((await forwarded(alias, sealed("-3 x"))).bytes, "Kauke-Sealed")).toBe("1");
    mx.messages.length = 0;
    expect(fieldOf((await forwarded(alias, secretMail("x@kauke.test"))).bytes, "Kauke-Sealed")).toBe("1");
  });
});

describe("whether mail is encrypted", () => {
  const isSealed = async (alias: AliasWire) => {
    mx.messages.length = 0;
    return String((await forwarded(alias, secretMail("x@kauke.test"))).bytes).includes("BEGIN AGE ENCRYPTED FILE");
  };

  test("an alias' own setting overrides the account's, and each change applies to the next message", async () => {
    const other = await insertStoredKey(system.server.store, person.user.id);
    const alias = await newAlias();
    expect(alias.sealTo).toBe("account");
    expect(await isSealed(alias)).toBe(true);
    expect((await encryptAlias(alias, "off")).body).toMatchObject({ sealTo: "off" });
    expect(await isSealed(alias)).toBe(false);
    expect((await encryptAlias(alias, other.id)).body).toMatchObject({ sealTo: other.id });
    expect(await isSealed(alias)).toBe(true);
    await decryptForwarded(encryptedFileOf(mx.messages[0]?.bytes), other);
    await encryptTo("off");
    expect(await isSealed(alias)).toBe(true);
    await encryptAlias(alias, "account");
    expect(await isSealed(alias)).toBe(false);
    await encryptTo(key.id);
    expect(await isSealed(alias)).toBe(true);
  });

  test("a key that mail is encrypted to can't be deleted, and the refusal says where it is in use", async () => {
    const used = await insertStoredKey(system.server.store, person.user.id);
    const alias = await newAlias();
    const remove = () => person.call("DELETE", `/api/encryption-keys/${used.id}`);
    await encryptAlias(alias, used.id);
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: "key_in_use", message: expect.stringContaining(`${alias.alias}@kauke.test`) },
    });
    await encryptAlias(alias, "account");
    await encryptTo(used.id);
    expect(await remove()).toMatchObject({ status: 409, body: { message: expect.stringContaining("Settings") } });
    await encryptTo(key.id);
    expect((await remove()).status).toBe(200);
  });
});

describe("a message that can't be encrypted", () => {
  test("waits in the spool, its owner is notified once, and is sent encrypted when encryption works again", async () => {
    const alias = await newAlias();
    isEncrypterBroken = true;
    expect(await send(alias, secretMail("x@kauke.test"))).toMatch(/^250 /);
    expect(await send(alias, secretMail("x@kauke.test"))).toMatch(/^250 /);
    expect(mx.messages).toEqual([]);
    expect(await system.server.store.deliveries.countForAlias(alias.id)).toBe(2);
    expect((await person.notices()).filter((it) => it.aliasId === alias.id)).toMatchObject([
      { kind: "not_sealed", text: expect.stringContaining(`Mail to ${alias.alias}@kauke.test waits`) },
    ]);
    isEncrypterBroken = false;
    const mails = await mx.waitForMessages(2);
    for (const { bytes } of mails) {
      expect((await decryptForwarded(encryptedFileOf(bytes), key)).toString()).toBe(secretMail("x@kauke.test"));
    }
    expect(new Set(mails.map(({ bytes }) => fieldOf(bytes, "Message-ID"))).size).toBe(2);
  });

  test("fails after the retry schedule with a notice, and was never sent", async () => {
    const alias = await newAlias();
    isEncrypterBroken = true;
    expect(await send(alias, secretMail("x@kauke.test"))).toMatch(/^250 /);
    const told = async () => (await person.notices()).filter((it) => it.aliasId === alias.id).map((it) => it.text);
    await vi.waitFor(
      async () =>
        expect(await told()).toContainEqual(
          `Mail to ${alias.alias}@kauke.test could not be delivered to jonas@inbox.example: it could not be encrypted to your key.`,
        ),
      { timeout: 30_000, interval: 200 },
    );
    // An authenticated sender may get a failure report; nothing was sent to the alias' destination, and no report
    // contains the content.
    expect(mx.messages.flatMap(({ rcptTo }) => rcptTo)).not.toContain("jonas@inbox.example");
    expect(mx.messages.filter(({ bytes }) => String(bytes).includes(secrets.body))).toEqual([]);
    // The delivery report to the sender may still be in the queue for a moment.
    await vi.waitFor(async () => expect(await system.server.store.deliveries.countForAlias(alias.id)).toBe(0), 30_000);
  }, 80_000);
});

describe("a webhook", () => {
  test("gets the age file as raw and nothing else of the message", async () => {
    const alias = await newAlias(hook.url);
    expect(await send(alias, secretMail("x@kauke.test"))).toMatch(/^250 /);
    const json = String(hook.requests[0]?.body);
    const { data } = JSON.parse(json);
    const to = `${alias.alias}@kauke.test`;
    expect(data).toMatchObject({
      alias: to,
      sealed: true,
      envelope: { from: null, to },
      headers: [],
      messageId: null,
      from: null,
      to: [],
      subject: null,
      text: null,
      html: null,
      attachments: [],
      authentication: { spf: "pass", dkim: "none", arc: "none" },
    });
    expect(shownWords.filter((word) => json.includes(word))).toEqual([]);
    const raw = Buffer.from(data.raw, "base64");
    expect((await decryptForwarded(raw, key)).toString()).toBe(secretMail("x@kauke.test"));
  });

  test("waits too if encryption fails", async () => {
    const alias = await newAlias(hook.url);
    isEncrypterBroken = true;
    expect(await send(alias, secretMail("x@kauke.test"))).toMatch(/^250 /);
    expect(hook.requests).toEqual([]);
    isEncrypterBroken = false;
    await vi.waitFor(() => expect(hook.requests.length).toBe(1), { timeout: 10_000 });
    expect(String(hook.requests[0]?.body)).not.toContain(secrets.subject);
  });
});

test("the memory budget used by encrypted copies is returned", async () => {
  await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0), { timeout: 10_000 });
  const [, used] = /^kauke_message_memory_bytes (\d+)$/m.exec(system.server.metrics.render()) ?? [];
  expect(used).toBe("0");
});
