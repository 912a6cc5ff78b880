/**
 * Send addresses (`alias+person=host.example@domain`) that can't be used: writing by address is off, as it is for every
 * new alias; the tag names nobody; the mail host left the tag out. An owner whose envelope is proven reads why, and
 * never gets the message back; everybody else gets what a stranger gets.
 */
import { confirmMailbox } from "@kauke/testkit/confirm-mailbox";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { authorSigner } from "@kauke/testkit/sign-as-author";
import { beforeEach, describe, expect, test, vi } from "vitest";

const owner = "jonas@inbox.example";
const stranger = "eve@sender.example";
const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const signer = authorSigner("inbox.example");
const zone = { "inbox.example": spf, "sender.example": spf, [signer.record.name]: { txt: signer.record.txt } };
const dns = createFakeDns({});
const { mx, system, person } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: "alias_create=1000/3600" },
});

let isConfirmed = false;
beforeEach(async () => {
  dns.zone = { ...zone };
  if (!isConfirmed) await confirmMailbox({ mx, person }, owner);
  isConfirmed = true;
  mx.reset();
});

let count = 0;
interface Written {
  from?: string;
  named?: string;
  fields?: readonly string[];
  sign?: boolean;
}

async function write(to: string, { from = owner, named = to, fields = [], sign = false }: Written = {}) {
  count += 1;
  const header = [`From: ${from}`, `To: ${named}`, `Subject: number ${count}`, `Message-ID: <${count}@inbox.example>`];
  const message = `${[...header, ...fields].join("\r\n")}\r\n\r\nhello\r\n`;
  const sent = { port: system.mxPort, from: sign ? "me@sender.example" : from, to };
  return (await sendMail({ ...sent, message: sign ? signer.sign(message) : message })).last;
}

/** Waits until everything that arrived is delivered. @returns the recipients of all that was sent */
async function sentTo(): Promise<string[]> {
  await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0));
  return mx.messages.flatMap(({ rcptTo }) => rcptTo);
}

const noticesAbout = async (aliasId: string) =>
  (await person.notices()).filter((notice) => notice.aliasId === aliasId).map(({ text }) => text);

/** A reply without the id of the message at its end, which differs each time. */
const plain = (reply: string) => reply.replace(/\S+$/, "");

const off = /^550 5\.7\.1 .*"Write from your mail program by address" under "Sending and encryption"/;

describe("the switch", () => {
  test("is off for a new alias: the proven owner reads where it is, in the reply and once in a notice", async () => {
    const { id, alias, writeByAddress } = await person.createAlias({ forwardTo: owner });
    expect(writeByAddress).toBe(false);
    for (const _ of [1, 2]) expect(await write(`${alias}+ann=shop.example@kauke.test`)).toMatch(off);
    expect(await sentTo()).toEqual([]);
    const told = await noticesAbout(id);
    expect(told).toEqual([expect.stringContaining(`to ann@shop.example was not sent from ${alias}@kauke.test`)]);
    expect(told[0]).toContain('"Write from your mail program by address"');
  });

  test("lets the owner's messages out once it is on, and at once no more when it is off again", async () => {
    const { id, alias } = await person.createAliasToWriteBy({ forwardTo: owner });
    expect(await write(`${alias}+ann=shop.example@kauke.test`)).toMatch(/^250 /);
    expect(await sentTo()).toEqual(["ann@shop.example"]);
    mx.reset();
    await person.call("PUT", `/api/aliases/${id}`, { writeByAddress: false });
    expect(await write(`${alias}+ann=shop.example@kauke.test`)).toMatch(off);
    expect(await sentTo()).toEqual([]);
  });

  test("makes no difference to a stranger, and none to whoever has only a signed message of the owner", async () => {
    const { id, alias } = await person.createAlias({ forwardTo: owner });
    const other = await person.createAlias({ forwardTo: "somebody@else.example" });
    const [hers, theirs] = [alias, other.alias].map((name) => `${name}+ann=shop.example@kauke.test`) as [
      string,
      string,
    ];
    const replies = [
      await write(hers, { from: stranger }),
      await write(hers, { sign: true }),
      await write(theirs, { from: stranger }),
      await write(theirs, { sign: true }),
    ];
    expect(new Set(replies.map(plain))).toEqual(new Set([plain(replies[0] as string)]));
    expect(replies[0]).toMatch(/^250 /);
    expect(new Set(await sentTo())).toEqual(new Set([owner, "somebody@else.example"]));
    expect(await noticesAbout(id)).toEqual([expect.stringMatching(/"Write from your .* because SPF did not show/)]);
  });

  test("does not exist for an address without an alias: everybody gets the same refusal before any data", async () => {
    for (const from of [owner, stranger])
      expect(await write("nobody-here+ann=shop.example@kauke.test", { from })).toBe("550 5.1.1 No such address here");
  });
});

describe("a tag that the owner's message can't be sent by", () => {
  const unreadable = ["ann=planner", "=planner.example", "ann=planner..example"];
  test.each(unreadable)("%s names nobody: refused to the owner, ignored for others", async (tag) => {
    const { alias } = await person.createAliasToWriteBy({ forwardTo: owner });
    const to = `${alias}+${tag}@kauke.test`;
    expect(await write(to, { named: `${alias}@kauke.test` })).toMatch(/^550 5\.1\.3 .* after \+ is not a recipient/);
    expect(await sentTo()).toEqual([]);
    expect(await write(to, { from: stranger, named: `${alias}@kauke.test` })).toMatch(/^250 /);
    expect(await sentTo()).toEqual([owner]);
  });

  test.each([true, false])("was left out by the mail host: refused to the owner (switch on: %s)", async (isOn) => {
    const create = isOn ? person.createAliasToWriteBy : person.createAlias;
    const { alias } = await create({ forwardTo: owner });
    const named = `Ann <${alias.toUpperCase()}+ann=planner.example@kauke.test>`;
    expect(await write(`${alias}@kauke.test`, { named })).toMatch(/^550 5\.1\.3 .* left out/);
    expect(await sentTo()).toEqual([]);
    expect(await write(`${alias}@kauke.test`, { named, from: stranger })).toMatch(/^250 /);
    expect(await write(`${alias}@kauke.test`, { named, sign: true })).toMatch(/^250 /);
    expect(await sentTo()).toEqual([owner, owner]);
  });

  test("was not left out where To names the alias itself too, or where the tag names nobody", async () => {
    const { alias } = await person.createAliasToWriteBy({ forwardTo: owner });
    const self = `${alias}@kauke.test`;
    for (const named of [self, `${alias}+news@kauke.test`, `${self}, ${alias}+ann=planner.example@kauke.test`])
      expect(await write(self, { named })).toMatch(/^250 /);
    expect(await sentTo()).toEqual([owner, owner, owner]);
  });

  test("is in a message that a program wrote: refused to the owner", async () => {
    const { alias } = await person.createAliasToWriteBy({ forwardTo: owner });
    const fields = ["Content-Type: text/calendar; method=REPLY"];
    expect(await write(`${alias}+ann=shop.example@kauke.test`, { fields })).toMatch(
      /^550 5\.7\.1 .*a program wrote it/,
    );
    expect(await sentTo()).toEqual([]);
  });
});

test("a tag above 64 octets is sent by like any other", async () => {
  const { alias } = await person.createAliasToWriteBy({ forwardTo: owner });
  const tag = `list-sc.1760982419.ohedmfbjgcdaadampghm-${alias}=kauke.test=lists.example.net`;
  expect(await write(`${alias}+${tag}@kauke.test`)).toMatch(/^250 /);
  expect(await sentTo()).toEqual([`list-sc.1760982419.ohedmfbjgcdaadampghm-${alias}=kauke.test@lists.example.net`]);
});

test("a send address to another alias of this server reaches that alias, as the first one", async () => {
  const { alias } = await person.createAliasToWriteBy({ forwardTo: owner });
  const other = await person.createAlias({ forwardTo: "somebody@else.example" });
  expect(await write(`${alias}+${other.alias}=kauke.test@kauke.test`)).toMatch(/^250 /);
  await mx.waitForMessages(1);
  const copy = mx.messages.find(({ rcptTo }) => rcptTo.includes("somebody@else.example"));
  expect(String(copy?.bytes)).toMatch(new RegExp(`^From: .*${alias}`, "m"));
  expect(String(copy?.bytes)).not.toMatch(/jonas|inbox\.example/i);
  expect(mx.messages.flatMap(({ rcptTo }) => rcptTo)).not.toContain(owner);
});
