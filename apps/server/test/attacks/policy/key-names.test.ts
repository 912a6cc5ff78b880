/**
 * Attacks by the names that a signature leads to in DNS (`s=` and `d=`): a resolver written in C ends a name at a NUL,
 * so that the key would come from the zone of whoever forged the message. The server asks a DNS server over UDP through
 * the resolver that it always uses.
 */
import { generateKeyPairSync } from "node:crypto";
import { startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { arcFields, dkimField } from "./signatures.testing.ts";

const bank = generateKeyPairSync("rsa", { modulusLength: 1024 });
const evil = generateKeyPairSync("rsa", { modulusLength: 1024 });
const record = ({ publicKey }: typeof bank) => ({
  txt: [`v=DKIM1; p=${publicKey.export({ format: "der", type: "spki" }).toString("base64")}`],
});
const dns = await startFakeDnsServer({
  "bank.example": { txt: ["v=spf1 -all"] },
  "_dmarc.bank.example": { txt: ["v=DMARC1; p=reject"] },
  "s1._domainkey.bank.example": record(bank),
  "s1._domainkey.list.example": record(bank),
  // The zone of the attacker.
  "s1._domainkey.evil.example": record(evil),
  "evil.example": record(evil),
});
afterAll(() => dns.close());
const { mx, system } = await setUpForwarding({
  env: { KAUKE_DNS_SERVERS: dns.address, KAUKE_AUTHENTICATION: "on", KAUKE_ARC_TRUSTED: "list.example" },
});
beforeEach(() => {
  dns.questions.length = 0;
  mx.reset();
});

const message = "From: ceo@bank.example\r\nSubject: x\r\n\r\nx\r\n";

async function send(text: string): Promise<string> {
  const { alias, domain } = await (await registerPerson(system.url)).createAlias({ forwardTo: "kim@inbox.example" });
  const mail = { port: system.mxPort, from: "x@other.example", to: `${alias}@${domain}` };
  return (await sendMail({ ...mail, message: Buffer.from(text, "latin1") })).last;
}

const hasAskedAttacker = () => dns.questions.some((question) => /^TXT (?:.*\.)?evil\.example$/.test(question));

describe("a signature whose key name ends early for a resolver in C proves nothing", () => {
  test.each([
    ["s1._domainkey.evil.example\0", "bank.example"],
    ["s1._domainkey.evil.example.\0", "bank.example"],
    ["s1._domainkey.evil.example\0.x", "bank.example"],
    ["s1._domainkey.evil.example\\000", "bank.example"],
    ["s1", "evil.example\0.bank.example"],
    ["s1", "evil.example\0bank.example"],
    ["evil.example\0", "bank.example"],
  ])("s=%j d=%j", async (s, d) => {
    expect(await send(dkimField(message, evil.privateKey, { s, d }) + message)).toMatch(/^550 5\.7\.26 /);
    expect(mx.messages).toEqual([]);
    expect(hasAskedAttacker()).toBe(false);
  });

  test("control: the bank's own signature proves its mail, and the attacker's key is in DNS", async () => {
    expect(await send(dkimField(message, bank.privateKey, { s: "s1", d: "bank.example" }) + message)).toMatch(/^250 /);
    await send(dkimField(message, evil.privateKey, { s: "s1", d: "evil.example" }) + message);
    expect(hasAskedAttacker()).toBe(true);
  });
});

describe("the seal of a trusted forwarder", () => {
  const seconds = Math.floor(Date.now() / 1000);
  const results = "list.example; dmarc=pass header.from=bank.example";
  const sealed = (s: string, { privateKey }: typeof bank, of: { seal: boolean; message: boolean }) =>
    arcFields(message, privateKey, {
      results,
      message: { d: "list.example", s: of.message ? s : "s1" },
      seal: { d: "list.example", s: of.seal ? s : "s1", more: `t=${seconds}` },
    }) + message;

  test.each(["s1._domainkey.evil.example\0", "s1._domainkey.evil.example\0x"])(
    "does not count if its key name is s=%j",
    async (s) => {
      expect(await send(sealed(s, evil, { seal: true, message: true }))).toMatch(/^550 5\.7\.26 /);
      expect(hasAskedAttacker()).toBe(false);
    },
  );

  test("control: with its own key it counts", async () => {
    expect(await send(sealed("s1", bank, { seal: false, message: false }))).toMatch(/^250 /);
  });
});
