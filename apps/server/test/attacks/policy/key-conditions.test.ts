/**
 * Signatures that are valid by their mathematics but not by RFC 6376: whose identity (`i=`) is not in the signing
 * domain (§3.5), or whose key is in test mode or for no subdomain (`t=y`, `t=s`, §3.6.1). None proves the author.
 */
import { generateKeyPairSync } from "node:crypto";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { expect, test } from "vitest";
import { arcFields, dkimField } from "./signatures.testing.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
const key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
const dns = createFakeDns({ "_dmarc.bank.example": { txt: ["v=DMARC1; p=reject"] } });
for (const [selector, flags] of Object.entries({ plain: "", test: "t=y; ", strict: "t=s; ", both: "t=x:Y:s; " })) {
  dns.zone[`${selector}._domainkey.bank.example`] = { txt: [`v=DKIM1; ${flags}p=${key}`] };
  dns.zone[`${selector}._domainkey.list.example`] = { txt: [`v=DKIM1; ${flags}p=${key}`] };
}
const { system, person } = await setUpForwarding({ dns, env: { KAUKE_ARC_TRUSTED: "list.example" } });
const message = "From: ceo@bank.example\r\nSubject: x\r\n\r\nx\r\n";

async function replyTo(text: string): Promise<string> {
  const { alias, domain } = await person.createAlias({ forwardTo: "kim@inbox.example" });
  const mail = { port: system.mxPort, from: "x@other.example", to: `${alias}@${domain}`, message: text };
  return (await sendMail(mail)).last;
}

test.each([
  ["plain", "", /^250 /],
  ["plain", "i=@bank.example", /^250 /],
  ["plain", "i=ceo@BANK.example", /^250 /],
  ["plain", "i=ceo@news.bank.example", /^250 /],
  ["plain", "i=@other.example", /^550 /],
  ["plain", "i=@evilbank.example", /^550 /],
  ["plain", "i=@example", /^550 /],
  ["plain", "i=bank.example", /^550 /],
  ["plain", "i=", /^550 /],
  ["plain", "i=@bank.example\0.other.example", /^550 /],
  ["plain", "i=@other.example\0.bank.example", /^550 /],
  ["plain", "i=ceo\0@bank.example", /^550 /],
  ["plain", "i=@bank.example@other.example", /^550 /],
  ["strict", "", /^250 /],
  ["strict", "i=ceo@bank.example", /^250 /],
  ["strict", "i=ceo@news.bank.example", /^550 /],
  ["test", "", /^550 /],
  ["test", "i=ceo@bank.example", /^550 /],
  ["both", "", /^550 /],
])("a signature with the key %s and %j is answered %s", async (s, more, reply) => {
  expect(await replyTo(dkimField(message, privateKey, { d: "bank.example", s, more }) + message)).toMatch(reply);
});

test.each([
  ["plain", "plain", /^250 /],
  ["strict", "strict", /^250 /],
  ["test", "plain", /^550 /],
  ["plain", "test", /^550 /],
])("a trusted seal with the keys %s and %s is answered %s", async (ofMessage, ofSeal, reply) => {
  const d = "list.example";
  const fields = arcFields(message, privateKey, {
    results: "list.example; dmarc=pass header.from=bank.example",
    message: { d, s: ofMessage },
    seal: { d, s: ofSeal, more: `t=${Math.floor(Date.now() / 1000)}` },
  });
  expect(await replyTo(fields + message)).toMatch(reply);
});
