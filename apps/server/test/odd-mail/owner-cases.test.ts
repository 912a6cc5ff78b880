/**
 * Odd but real messages of owners and of their mail hosts, byte for byte as programs wrote them (test-vectors/eml-odd):
 * answers whose links hold the mailbox in disguise, absence notes, bounces. Each has a control.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, describe, expect, test } from "vitest";
import { oddMessage, replyAddressesIn, valuesOf, withWrongHash } from "./case-files.testing.ts";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "planner.example": spf, "example.org": spf });
const { mx, system, person } = await setUpForwarding({ dns });
const owner = "me@example.org";
const ann = "ann@planner.example";

beforeEach(() => mx.reset());

const send = (from: string, to: string, message: Buffer | string) =>
  sendMail({ port: system.mxPort, from, to, message });

/** Ann writes to a new alias. @returns how the owner's copy can be answered, and where reports about it go */
async function received(who = person) {
  const { id, alias } = await who.createAlias({ forwardTo: owner });
  await send(ann, `${alias}@kauke.test`, `From: Ann <${ann}>\r\nSubject: Offer\r\n\r\nhello\r\n`);
  const [copy] = await mx.waitForMessages(1);
  mx.messages.length = 0;
  const [reply = ""] = replyAddressesIn(valuesOf(copy?.bytes as Buffer, "From").join());
  return { id, address: `${alias}@kauke.test`, reply, bounceTo: copy?.envelopeFrom as string };
}

describe("an answer whose link holds the mailbox", () => {
  test.each([
    ["tracking-pixel", "VAZXhhbXBsZS5vcmc%3D", "VAZXhhbXBsZS5uZXQ%3D"],
    ["flowed-delsp", "&me@exa", "&us@exa"],
  ])("%s: is refused, and with another address sent", async (name, hidden, other) => {
    const { reply } = await received();
    expect((await send(owner, reply, oddMessage(name, { REPLY: reply }))).last).toMatch(
      /^550 5\.7\.1 Your message holds the address/,
    );
    expect(mx.messages).toEqual([]);
    const control = oddMessage(name, { REPLY: reply, [hidden]: other });
    expect((await send(owner, reply, control)).last).toMatch(/^250 /);
    expect((await mx.waitForMessages(1))[0]?.rcptTo).toEqual([ann]);
  });

  test("is refused when it is composed in the web app, and with another address sent", async () => {
    const { id } = await received();
    const compose = (address: string) => {
      const body = `see https://track.example/t?sender=${btoa(address)}`;
      return person.call("POST", "/api/email-jobs", { fromAliasId: id, to: "bob@planner.example", subject: "s", body });
    };
    await person.createSmtpCredential(id);
    expect(await compose(owner)).toMatchObject({ status: 400, body: { errors: { body: [expect.any(String)] } } });
    expect((await compose("me@example.net")).status).toBe(201);
  });
});

describe("what an owner's mail host sends to the envelope sender of forwarded mail", () => {
  test.each([
    ["absence-note", "answered mail to"],
    ["bounce-in-own-words", "came back"],
  ])("%s: is taken, the owner is told, and no text is passed on", async (name, told) => {
    const who = await registerPerson(system.url);
    const { address, bounceTo } = await received(who);
    const message = oddMessage(name, { SRS: bounceTo });
    expect((await send("", bounceTo, message)).last).toMatch(/^250 /);
    const texts = (await who.notices()).map(({ text }) => text);
    expect(texts).toEqual([expect.stringContaining(told)]);
    expect(texts[0]).toContain(address);
    expect(texts[0]).not.toMatch(/away until|Mailbox full/);
    expect(mx.messages).toEqual([]);
    expect((await send("", withWrongHash(bounceTo), message)).last).toMatch(/^550 /);
    expect(await who.notices()).toHaveLength(1);
  });
});
