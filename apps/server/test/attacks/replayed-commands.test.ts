/**
 * Messages of an owner that somebody else sends again. Whoever holds a signed message of a person could find out which
 * aliases are theirs, and have it sent as an alias: DKIM proves an author, not to whom the author wrote.
 */
import { confirmMailbox } from "@kauke/testkit/confirm-mailbox";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { authorSigner } from "@kauke/testkit/sign-as-author";
import { beforeEach, describe, expect, test, vi } from "vitest";

const owner = "jonas@inbox.example";
const signer = authorSigner("inbox.example");
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({});
const { mx, system, person } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: "alias_create=1000/3600" },
});

/** The owner's domain signs mail, and its SPF does not allow this host: mail from here was sent again by others. */
const signedOnly = { [signer.record.name]: { txt: signer.record.txt }, "inbox.example": { txt: ["v=spf1 -all"] } };
const ownHost = { ...signedOnly, "inbox.example": spf };
const others = { "evil.example": spf, "sender.example": spf };

let isConfirmed = false;
beforeEach(async () => {
  dns.zone = { ...signedOnly, ...others };
  if (!isConfirmed) await confirmMailbox({ mx, person }, owner);
  isConfirmed = true;
  mx.reset();
});

interface Addresses {
  alias: string;
  /** Reply address of `ann@sender.example` for this alias. */
  reply: string;
  /** Address by which the owner writes to `me@evil.example` as this alias. */
  send: string;
}

async function anAlias(forwardTo = owner): Promise<Addresses> {
  const { alias } = await person.createAliasToWriteBy({ forwardTo });
  const message = `From: ann@sender.example\r\nTo: ${alias}@kauke.test\r\nSubject: plans\r\n\r\nhello\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to: `${alias}@kauke.test`, message });
  const mail = (await mx.waitForMessages(1)).find(({ bytes }) => String(bytes).includes("plans"));
  const reply = /r(?:-[a-z2-7]{5}){4}@kauke\.test/.exec(String(mail?.bytes))?.[0] as string;
  mx.reset();
  return { alias: `${alias}@kauke.test`, reply, send: `${alias}+me=evil.example@kauke.test` };
}

let messages = 0;
interface Written {
  to?: string;
  cc?: string;
  from?: string;
  body?: string;
  fields?: readonly string[];
}

/** @returns a message without a signature */
function textOf({ to, cc, from = owner, body = "hello", fields = [] }: Written): string {
  messages += 1;
  const header = [
    `From: Jonas <${from}>`,
    ...(to === undefined ? [] : [`To: ${to}`]),
    ...(cc === undefined ? [] : [`Cc: ${cc}`]),
    `Subject: number ${messages}`,
    `Message-ID: <${messages}@inbox.example>`,
    ...fields,
  ];
  return `${header.join("\r\n")}\r\n\r\n${body}\r\n`;
}

const signed = (written: Written, options?: Parameters<typeof signer.sign>[1]) => signer.sign(textOf(written), options);

const send = async (message: string, to: string | string[], from = "me@evil.example") =>
  (await sendMail({ port: system.mxPort, from, to, message })).last;

/** Waits until everything that arrived is delivered. @returns the recipients of all that was sent */
async function sentTo(): Promise<string[]> {
  await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0));
  return mx.messages.flatMap(({ rcptTo }) => rcptTo);
}

/** @returns texts of the notices about answers that were not sent, the newest first */
async function problemsTold(): Promise<string[]> {
  const { body } = await person.call("GET", "/api/notices");
  const { notices } = body as { notices: { kind: string; text: string }[] };
  return notices.filter(({ kind }) => kind === "answer_not_sent").map(({ text }) => text);
}

const accepted = /^250 /;
const notAllowed = /^550 5\.7\.1 Only the alias' owner may write here/;

describe("a message to somebody else that the owner signed", () => {
  test("gets the same reply at every send address, and is only forwarded", async () => {
    const [hers, theirs] = [await anAlias(), await anAlias("somebody@else.example")];
    const message = signed({ to: "list@evil.example" });
    expect(await send(message, hers.send)).toMatch(accepted);
    expect(await send(message, theirs.send)).toMatch(accepted);
    expect(new Set(await sentTo())).toEqual(new Set([owner, "somebody@else.example"]));
  });

  test("without a recipient in its header is not sent as the alias", async () => {
    const { send: address } = await anAlias();
    expect(await send(signed({}), address)).toMatch(accepted);
    expect(await sentTo()).toEqual([owner]);
  });

  test("is refused at a reply address like a stranger's", async () => {
    const { reply } = await anAlias();
    expect(await send(signed({ to: "list@evil.example" }), reply)).toMatch(notAllowed);
    expect(await send(signed({}), reply)).toMatch(notAllowed);
    expect(await send(textOf({ from: "me@evil.example", to: reply }), reply)).toMatch(notAllowed);
    expect(await sentTo()).toEqual([]);
  });

  test("is sent as the alias if the owner's own host sends it there", async () => {
    const { send: address, reply } = await anAlias();
    dns.zone = { ...ownHost, ...others };
    expect(await send(signed({}), [address, reply], owner)).toMatch(accepted);
    expect((await sentTo()).sort()).toEqual(["ann@sender.example", "me@evil.example"]);
  });
});

describe("a message to the address, proven by its signature alone", () => {
  test.each(["send", "reply"] as const)("is sent once from a %s address, however often it arrives", async (kind) => {
    const address = (await anAlias())[kind];
    const message = signed({ to: address });
    for (let time = 0; time < 3; time += 1) expect(await send(message, address)).toMatch(accepted);
    expect(await sentTo()).toHaveLength(1);
    expect(mx.messages[0]?.rcptTo[0]).toBe(kind === "send" ? "me@evil.example" : "ann@sender.example");
  });

  test("is not sent again with its signature folded or encoded in another way", async () => {
    const { send: address } = await anAlias();
    const message = signed({ to: address });
    expect(await send(message, address)).toMatch(accepted);
    const folded = message.replace(/; b=(.{30})/, ";\r\n b=$1\r\n ");
    const padded = message.replace(/; b=([^\r]*)/, "; b=$1====");
    expect(await send(folded, address)).toMatch(accepted);
    expect(await send(padded, address)).toMatch(accepted);
    expect(await sentTo()).toEqual(["me@evil.example"]);
  });

  test("is sent once to each of two addresses", async () => {
    const { send: address, reply } = await anAlias();
    const message = signed({ to: address, cc: reply });
    expect(await send(message, address)).toMatch(accepted);
    expect(await send(message, [reply, address])).toMatch(accepted);
    expect((await sentTo()).sort()).toEqual(["ann@sender.example", "me@evil.example"]);
  });

  test("is sent once when it arrives on many connections at the same time", async () => {
    const { send: address } = await anAlias();
    const message = signed({ to: address });
    const replies = await Promise.all(Array.from({ length: 6 }, () => send(message, address)));
    for (const reply of replies) expect(reply).toMatch(/^(?:250|451) /);
    expect(await send(message, address)).toMatch(accepted);
    expect(await sentTo()).toEqual(["me@evil.example"]);
  });

  test("is not sent by others after the owner's own host sent it, which may send it again", async () => {
    const { send: address } = await anAlias();
    const message = signed({ to: address });
    dns.zone = { ...ownHost, ...others };
    expect(await send(message, address, owner)).toMatch(accepted);
    dns.zone = { ...signedOnly, ...others };
    expect(await send(message, address)).toMatch(accepted);
    expect(await sentTo()).toEqual(["me@evil.example"]);
  });

  test.each([
    ["does not cover To", { names: ["from", "cc", "subject", "message-id"] }],
    ["does not cover Cc, which was added", { names: ["from", "to", "subject", "message-id"] }, "Cc: <a@evil.example>"],
    ["covers one To field of two", { names: ["from", "to", "cc", "subject", "message-id"] }, "To: <a@evil.example>"],
    ["has expired", { tags: "t=1000; x=2000" }],
    ["is eight days old", { tags: `t=${Math.floor(Date.now() / 1000) - 8 * 86_400}` }],
    ["does not say when it was made", { tags: "q=dns/txt" }],
  ])("counts as a stranger's when its signature %s", async (_, options, added?: string) => {
    const { send: address, reply } = await anAlias();
    for (const [to, expected] of [
      [address, accepted],
      [reply, notAllowed],
    ] as const) {
      const message = signed({ to }, options);
      const [own, body] = message.split("\r\nFrom:");
      const whole = added === undefined ? message : `${own}\r\n${added}\r\nFrom:${body}`;
      expect(await send(whole, to)).toMatch(expected);
    }
    expect(await sentTo()).toEqual([owner]);
  });

  test("is the owner's with the time of a signed Date field", async () => {
    const { reply } = await anAlias();
    const message = signed({ to: reply, fields: [`Date: ${new Date().toUTCString()} (local)`] }, { tags: "q=dns/txt" });
    expect(await send(message, reply)).toMatch(accepted);
    expect(await sentTo()).toEqual(["ann@sender.example"]);
  });
});

describe("what is wrong with a message that only its signature proves", () => {
  test("is told to the owner by a notice, once", async () => {
    const { send: address, reply } = await anAlias();
    const before = (await problemsTold()).length;
    for (const [to, expected] of [
      [address, accepted],
      [reply, notAllowed],
    ] as const) {
      const message = signed({ to, body: `write to ${owner}` });
      expect(await send(message, to)).toMatch(expected);
      expect(await send(message, to)).toMatch(expected);
    }
    expect(await sentTo()).toEqual([owner, owner]);
    const all = await problemsTold();
    const told = expect.stringMatching(/holds the address/);
    expect(all.slice(0, all.length - before)).toEqual([told, told]);
  });

  test.each([
    ["holds the address", { body: `write to ${owner}` }],
    ["names people by their real addresses", { cc: "list@evil.example" }],
  ])("is told in the reply to the owner's own host: %s", async (told, written) => {
    const { send: address, reply } = await anAlias();
    dns.zone = { ...ownHost, ...others };
    for (const to of [address, reply]) expect(await send(signed({ to, ...written }), to, owner)).toContain(told);
    expect(await sentTo()).toEqual([]);
  });
});

test("a signed message that also names others, who have it, is a stranger's and causes no notice", async () => {
  const { send: address, reply } = await anAlias();
  const before = await problemsTold();
  for (const cc of ["list@evil.example", "Ann <ann@@evil.example>", "a: list@evil.example;"]) {
    expect(await send(signed({ to: address, cc }), address)).toMatch(accepted);
    expect(await send(signed({ to: reply, cc }), reply)).toMatch(notAllowed);
  }
  expect(await sentTo()).toEqual([owner, owner, owner]);
  expect(await problemsTold()).toEqual(before);
});

describe("SPF of the owner's domain", () => {
  const list = "list-bounces@lists.inbox.example";

  test.each([
    ["a mailing list", list],
    ["another mailbox of the same host", "eve@inbox.example"],
    ["a mailbox with a tag, which may be somebody's name", "jonas+eve@inbox.example"],
  ])("does not make %s the owner at a send address", async (_, from) => {
    const { send: address } = await anAlias();
    dns.zone = { ...ownHost, ...others, "lists.inbox.example": spf };
    expect(await send(textOf({}), address, from)).toMatch(accepted);
    expect(await send(textOf({ to: list }), address, from)).toMatch(accepted);
    expect(await sentTo()).toEqual([owner, owner]);
  });

  test("makes the owner's host the owner at a reply address, which only the owner knows", async () => {
    const { reply } = await anAlias();
    dns.zone = { ...ownHost, ...others, "lists.inbox.example": spf };
    expect(await send(textOf({ to: reply }), reply, list)).toMatch(accepted);
    expect(await sentTo()).toEqual(["ann@sender.example"]);
  });
});

describe("a message with two signatures", () => {
  const second = authorSigner("inbox.example", "s2");
  const bySecond = { [second.record.name]: { txt: second.record.txt } };

  test("is sent once, though others remove one or the other", async () => {
    const { send: address } = await anAlias();
    dns.zone = { ...signedOnly, ...others, ...bySecond };
    const message = textOf({ to: address });
    for (const one of [signer.sign(message), second.sign(message), signer.sign(second.sign(message))])
      expect(await send(one, address)).toMatch(accepted);
    expect(await sentTo()).toEqual(["me@evil.example"]);
  });

  test("of which one is a copy of the other, to an address named twice, is sent once", async () => {
    const { send: address } = await anAlias();
    const message = signed({ to: address });
    const doubled = `${message.slice(0, message.indexOf("\r\n") + 2)}${message}`;
    expect(await send(doubled, [address, address])).toMatch(accepted);
    expect(await send(message, address)).toMatch(accepted);
    expect(await sentTo()).toEqual(["me@evil.example"]);
  });
});

test("a message whose key could not be read when the owner's host sent it is not sent by others later", async () => {
  const { send: address } = await anAlias();
  const message = signed({ to: address });
  dns.zone = { ...ownHost, ...others, [signer.record.name]: { fails: true } as never };
  expect(await send(message, address, owner)).toMatch(accepted);
  dns.zone = { ...signedOnly, ...others };
  expect(await send(message, address)).toMatch(accepted);
  expect(await sentTo()).toEqual(["me@evil.example"]);
});

test.each([
  ["an absence note", ["Auto-Submitted: auto-replied"]],
  ["an absence note with a comment", ["Auto-Submitted: (x(y)) auto-replied"]],
  ["an absence note that says no first", ["Auto-Submitted: no", "Auto-Submitted: auto-replied"]],
  ["a note of an unknown kind", ["Auto-Submitted: auto-responded"]],
  ["a note of an old program", ["Precedence: auto_reply"]],
  ["a receipt", ["Content-Type: multipart/report; report-type=disposition-notification; boundary=b"]],
  ["an acceptance", ["Content-Type: text/calendar; method=REPLY"]],
])("%s of the owner's program, which a stranger can trigger, is not sent from a send address", async (_, fields) => {
  const { send: address } = await anAlias();
  dns.zone = { ...ownHost, ...others };
  expect(await send(signed({ to: address, fields }), address, owner)).toMatch(/^550 5\.7\.1 .* a program wrote it/);
  expect(await send(signed({ to: address, fields }), address)).toMatch(accepted);
  expect(await sentTo()).toEqual([owner]);
});

/**
 * Every kind of proof at every address with every content. The owner's name in From is the only difference between the
 * two messages of a row, so replies that differ would tell a stranger whose alias it is.
 */
describe("without a proof the reply is the same whether From is the owner or a stranger", () => {
  const unproven = [
    ["no signature", (message: string) => message],
    ["a signature that does not cover To", (message: string) => signer.sign(message, { names: ["from", "subject"] })],
    [
      "a signature of a message to others",
      (message: string) => signer.sign(message.replace(/^To: .*$/m, "To: x@evil.example")),
    ],
    ["a broken signature", (message: string) => signer.sign(message).replace("Subject: ", "Subject: Re: ")],
  ] as const;
  const contents = [
    {},
    { body: `write to ${owner}` },
    { cc: "list@evil.example" },
    { fields: ["Auto-Submitted: auto-replied"] },
  ];

  test.each(unproven)("%s", async (_, sign) => {
    const { send: address, reply } = await anAlias();
    dns.zone = { ...signedOnly, ...others, "inbox2.example": signedOnly["inbox.example"] as never };
    for (const to of [address, reply]) {
      for (const written of contents) {
        const own = await send(sign(textOf({ to, ...written })), to);
        const stranger = await send(sign(textOf({ to, ...written, from: "jonas@inbox2.example" })), to);
        expect(stranger).toMatch(/^(?:250|550) /);
        expect(own.replace(/\S+$/, "")).toBe(stranger.replace(/\S+$/, ""));
      }
    }
    expect(new Set(await sentTo())).toEqual(new Set([owner]));
  });
});
