/**
 * Attacks on the author that a message shows: a From field that two programs read differently, so that the
 * authentication result of one author is stated about another; a signature that covers only part of the body; and
 * guesses of the owner's mailbox, each tried as the author of an answer to a reply address.
 */
import { generateKeyPairSync } from "node:crypto";
import { type FakeDnsZone, startFakeDnsServer } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { dkimSign } from "mailauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const bankKey = generateKeyPairSync("rsa", { modulusLength: 2048 });
const bankRecord = `v=DKIM1; p=${bankKey.publicKey.export({ format: "der", type: "spki" }).toString("base64")}`;
const zone: FakeDnsZone = {
  "evil.example": { txt: ["v=spf1 ip4:127.0.0.1 -all"] },
  "_dmarc.evil.example": { txt: ["v=DMARC1; p=none"] },
  "bank.example": { txt: ["v=spf1 -all"] },
  "_dmarc.bank.example": { txt: ["v=DMARC1; p=reject"] },
  "s1._domainkey.bank.example": { txt: [bankRecord] },
  // DNS queries for this domain are never answered.
  "slow.example": { isSilent: true },
  "inbox.example": { txt: ["v=spf1 ip4:192.0.2.1 -all"] },
  "_dmarc.inbox.example": { txt: ["v=DMARC1; p=none"] },
};
const dns = await startFakeDnsServer(zone);
afterAll(() => dns.close());
const { mx, hook, system, person } = await setUpForwarding({
  env: { KAUKE_DNS_SERVERS: dns.address, KAUKE_AUTHENTICATION: "on" },
});

const mallory = "mallory@evil.example";
const messageFrom = (from: string) => `From: ${from}\r\nSubject: x\r\n\r\nx\r\n`;

describe("a From that programs read differently", () => {
  interface CalledWith {
    from: { address: string } | null;
    authentication: { spf: string; dmarc: string };
  }
  let alias: string;
  beforeAll(async () => {
    const made = await person.createAlias({ forwardTo: hook.url });
    alias = `${made.alias}@${made.domain}`;
  });

  /** Sends a message with this From. @returns what the webhook was called with; `null` if the message was rejected */
  async function callFor(from: string): Promise<CalledWith | null> {
    const before = hook.requests.length;
    await sendMail({ port: system.mxPort, from: mallory, to: alias, message: messageFrom(from) });
    if (hook.requests.length === before) return null;
    return (JSON.parse(String(hook.requests.at(-1)?.body)) as { data: CalledWith }).data;
  }

  test.each([
    `ceo@bank.example, ${mallory}`,
    `ceo@bank.example., ${mallory}`,
    `the..ceo@bank.example, ${mallory}`,
    `CEO <ceo@bank.example> x@, ${mallory}`,
    `<ceo@bank.example <x>>, ${mallory}`,
    `ceo@bank.example x, ${mallory}`,
    `CEO <ceo@bank.example>> <y>, ${mallory}`,
    `ceo@bank.example ${mallory}`,
    `<ceo@bank.example> <${mallory}>`,
    `<${mallory}> <ceo@bank.example>`,
    `<${mallory}> ceo@bank.example`,
    `x:ceo@bank.example., ${mallory};`,
    `CEO <ceo@bank.example\u0001>, ${mallory}`,
    `ce\u0001o@bank.example, ${mallory}`,
    `${mallory}\r\nFrom: ceo@bank.example`,
  ])("%j does not pass authentication", async (from) => {
    const call = await callFor(from);
    expect(call?.authentication.dmarc).not.toBe("pass");
    expect(call?.from?.address ?? mallory).toBe(mallory);
  });

  test.each([
    mallory,
    `Mallory <${mallory}>`,
    `"ceo@bank.example" <${mallory}>`,
    `=?utf-8?q?ceo=40bank.example?= <${mallory}>`,
    `Mallory <${mallory}> (at work)`,
    `${mallory}, ceo@bank.example`,
  ])("control: the first author of %j passes authentication and is named", async (from) => {
    expect(await callFor(from)).toMatchObject({
      from: { address: mallory },
      authentication: { spf: "pass", dmarc: "pass" },
    });
  });
});

describe("text appended to a message whose signature covers a part of its body (l=)", () => {
  const written = "From: news@bank.example\r\nTo: all@list.example\r\nSubject: News\r\n\r\nNothing new.\r\n";
  async function signed(maxBodyLength?: number): Promise<string> {
    const key = String(bankKey.privateKey.export({ format: "pem", type: "pkcs8" }));
    const signer = { signingDomain: "bank.example", selector: "s1", privateKey: key };
    const signing = { ...signer, ...(maxBodyLength === undefined ? {} : { maxBodyLength }) };
    const { signatures } = await dkimSign(written, { ...signer, signatureData: [signing] });
    return signatures + written;
  }
  async function answerTo(message: string): Promise<string> {
    const { alias, domain } = await (await registerPerson(system.url)).createAlias({ forwardTo: "kim@inbox.example" });
    const mail = { port: system.mxPort, from: "news@bank.example", to: `${alias}@${domain}`, message };
    return (await sendMail(mail)).last;
  }

  test.each([0, 5, "Nothing new.\r\n".length])("does not pass: l=%d", async (length) => {
    expect(await answerTo(`${await signed(length)}Send your password to mallory.\r\n`)).toMatch(/^550 5\.7\.26 /);
  });

  test("control: the unchanged message passes, with and without l=", async () => {
    expect(await answerTo(await signed())).toMatch(/^250 /);
    expect(await answerTo(await signed("Nothing new.\r\n".length))).toMatch(/^250 /);
  });
});

test("a guess of the owner's mailbox as the author of an answer gets the same reply whether or not it is right", async () => {
  const owner = await registerPerson(system.url);
  const { alias, domain } = await owner.createAlias({ forwardTo: "jane.doe@inbox.example" });
  const message = messageFrom(mallory);
  await sendMail({ port: system.mxPort, from: mallory, to: `${alias}@${domain}`, message });
  const replyAddress = /^From: .*<([^>]+)>/m.exec(String(mx.messages[0]?.bytes))?.[1] ?? "";
  const guess = async (mailbox: string, from: string) => {
    const mail = { port: system.mxPort, from, to: replyAddress, message: messageFrom(mailbox) };
    return (await sendMail(mail)).last;
  };
  for (const [from, answer] of [
    ["mallory@slow.example", /^451 4\.7\.0 /],
    [mallory, /^550 5\.7\.1 /],
  ] as const) {
    const wrong = await guess("john.doe@inbox.example", from);
    expect(wrong).toMatch(answer);
    expect(await guess("jane.doe@inbox.example", from)).toBe(wrong);
  }
});
