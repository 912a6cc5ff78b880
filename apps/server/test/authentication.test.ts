/** SPF, DKIM, DMARC and ARC on arrival, our own signature on leaving: over real sockets and a DNS zone of our own. */
import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dkimSign, readHeader, simpleBodyHash } from "@kauke/mail-rfc";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fake-dns";
import { FakeMx } from "@kauke/testkit/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { byMailauth, type DkimRecord, opendkim, pythonDkim } from "@kauke/testkit/verify-dkim";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const theirs = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicText = (key: typeof theirs.publicKey) => key.export({ format: "der", type: "spki" }).toString("base64");
const dns = createFakeDns({});
const local: FakeDnsZone = { "sender.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] } };
const dkimName = { "s1._domainkey.sender.example": { txt: [`v=DKIM1; k=rsa; p=${publicText(theirs.publicKey)}`] } };
const dmarc = (policy: string): FakeDnsZone => ({ "_dmarc.sender.example": { txt: [`v=DMARC1; p=${policy}`] } });

let mx: FakeMx;
let system: TestSystem;
let person: Person;
let record: DkimRecord;

beforeAll(async () => {
  mx = await FakeMx.start();
  system = await startSystem({
    env: { KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`, KAUKE_AUTHENTICATION: "on", KAUKE_LIMITS: "off" },
    overrides: { resolver: dns, store: { dkimDomains: ["kauke.test"] } },
  });
  person = await registerPerson(system.url);
  const { createPublicKey } = await import("node:crypto");
  const key = system.server.store.dkimKeys.find((it) => it.algorithm === "rsa-sha256");
  record = {
    name: `${key?.selector}._domainkey.kauke.test`,
    value: `v=DKIM1; k=rsa; p=${publicText(createPublicKey(key?.privateKey as never))}`,
  };
});

afterAll(async () => {
  await system.close();
  await mx.close();
});

beforeEach(() => {
  dns.zone = {};
  mx.messages.length = 0;
});

const plain = "From: Ann <ann@sender.example>\r\nSubject: hi\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n";

async function signed(text: string): Promise<string> {
  const message = Buffer.from(text);
  const { end, fields } = readHeader(message);
  const header = message.subarray(0, end);
  const bodyHash = simpleBodyHash(message.subarray(end + 2));
  const key = {
    domain: "sender.example",
    selector: "s1",
    algorithm: "rsa-sha256",
    privateKey: theirs.privateKey,
  } as const;
  return (await dkimSign({ header, fields, bodyHash, signedAt: new Date() }, [key])) + text;
}

async function send(message: string | Buffer, from = "ann@sender.example") {
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { last } = await sendMail({
    port: system.mxPort,
    to: `${alias.alias}@kauke.test`,
    message,
    from,
    params: "BODY=8BITMIME SMTPUTF8",
  });
  return { last, bytes: mx.messages.at(-1)?.bytes, envelopeFrom: mx.messages.at(-1)?.envelopeFrom, alias };
}

const isMarkedUnverified = (bytes: Buffer | undefined) =>
  /^From:[^]*?Unverified/m.test(String(bytes).split("\r\nSubject", 1)[0] as string);

describe("DMARC", () => {
  test.each([
    ["aligned SPF passes", { ...local, ...dmarc("reject") }, false, "pass", false],
    ["aligned DKIM passes", { ...dkimName, ...dmarc("reject") }, true, "pass", false],
    ["nothing proves it and none is asked", dmarc("none"), false, "fail", true],
    ["nothing proves it and quarantine is asked", dmarc("quarantine"), false, "fail", true],
    ["no record at all", {}, false, "none", true],
  ] as const)("%s", async (_, zone, isSigned, result, isUnverified) => {
    dns.zone = zone;
    const { last, bytes } = await send(isSigned ? await signed(plain) : plain);
    expect(last).toMatch(/^250 /);
    expect(String(bytes)).toMatch(
      new RegExp(
        `Authentication-Results: mail\\.kauke\\.test;[^]*?dmarc=${result}|${result === "none" ? "mail.kauke.test" : "never"}`,
      ),
    );
    expect(isMarkedUnverified(bytes)).toBe(isUnverified);
  });

  test("a domain that asks to refuse what is not proven is obeyed", async () => {
    dns.zone = dmarc("reject");
    expect((await send(plain)).last).toMatch(/^550 5\.7\.26 /);
    expect(mx.messages).toEqual([]);
  });

  test("a resolver that fails loses no mail: it goes on as unauthenticated", async () => {
    dns.zone = { "sender.example": { fails: true }, "_dmarc.sender.example": { fails: true } };
    const { last, bytes } = await send(plain);
    expect(last).toMatch(/^250 /);
    expect(isMarkedUnverified(bytes)).toBe(true);
  });
});

test("results that claim to be ours are taken out", async () => {
  const forged = `Authentication-Results: mail.kauke.test; dmarc=pass\r\n${plain}`;
  const { bytes } = await send(forged);
  expect(String(bytes).match(/Authentication-Results:/g)).toHaveLength(1);
  expect(String(bytes)).not.toContain("dmarc=pass");
});

test("only a proven sender gets a bounce address that leads back", async () => {
  dns.zone = local;
  expect((await send(plain)).envelopeFrom).toMatch(/^SRS0=/);
  dns.zone = {};
  expect((await send(plain)).envelopeFrom).toMatch(/^srs0-/);
});

describe("our signature", () => {
  const folder = new URL("../../../test-vectors/eml/", import.meta.url);
  const judges = [
    ["mailauth", byMailauth],
    ["python3-dkim", pythonDkim()],
    ["opendkim", opendkim()],
  ] as const;

  for (const [name, judge] of judges) {
    if (judge === null) {
      console.log(`${name} is not installed: signatures are not judged by it.`);
      continue;
    }
    test(`${name} verifies every fixture, after one forward and after a second`, { timeout: 120_000 }, async () => {
      const failed: string[] = [];
      for (const file of readdirSync(folder).filter((it) => it.endsWith(".eml"))) {
        const once = (await send(readFileSync(new URL(file, folder)))).bytes as Buffer;
        if ((await judge(once, record)) !== "pass") failed.push(file);
        const twice = (await send(once)).bytes as Buffer;
        if ((await judge(twice, record)) !== "pass") failed.push(`${file} forwarded twice`);
      }
      expect(failed).toEqual([]);
    });
  }
});
