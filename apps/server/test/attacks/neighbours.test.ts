/**
 * Other customers of the owner's mail host who write as the owner: SPF and DKIM prove the host's domain, not a mailbox.
 * Where other people use the domain, MAIL FROM must be the owner's mailbox, at reply addresses too.
 */
import { confirmMailbox } from "@kauke/testkit/confirm-mailbox";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { authorSigner } from "@kauke/testkit/sign-as-author";
import { beforeEach, describe, expect, test, vi } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const hosts = ["shared.example", "staff.shared.example", "own.example", "gmail.com", "half.example"] as const;
type Host = (typeof hosts)[number];
const signers = Object.fromEntries(hosts.map((host) => [host, authorSigner(host)])) as Record<
  Host,
  ReturnType<typeof authorSigner>
>;
const zone = Object.fromEntries(
  hosts.flatMap((host) => [
    [host, spf],
    [`mx.${host}`, spf],
    [signers[host].record.name, { txt: signers[host].record.txt }],
  ]),
);
const dns = createFakeDns({});
const { mx, system, person } = await setUpForwarding({
  dns,
  confirmation: true,
  env: { KAUKE_LIMITS: "alias_create=1000/3600" },
});

const owner = (host: Host) => `jonas@${host}`;

async function addMailbox(who: Person, address: string, isConfirmed: boolean): Promise<void> {
  if (isConfirmed) await confirmMailbox({ mx, person: who }, address);
  else await who.createAlias({ forwardTo: address });
}

let isReady = false;
beforeEach(async () => {
  dns.zone = { ...zone, "sender.example": spf };
  if (!isReady) {
    for (const host of hosts) await addMailbox(person, owner(host), true);
    // Two mailboxes of one account are not other people, and neither is a mailbox that nobody has confirmed.
    await addMailbox(person, "work@own.example", true);
    const neighbour = await registerPerson(system.url);
    await addMailbox(neighbour, "mallory@shared.example", true);
    await addMailbox(neighbour, "mallory@half.example", false);
  }
  isReady = true;
  mx.reset();
});

interface Addresses {
  reply: string;
  send: string;
}

async function addressesAt(host: Host): Promise<Addresses> {
  const { alias } = await person.createAliasToWriteBy({ forwardTo: owner(host) });
  const message = `From: ann@sender.example\r\nTo: ${alias}@kauke.test\r\nSubject: plans\r\n\r\nhello\r\n`;
  await sendMail({ port: system.mxPort, from: "ann@sender.example", to: `${alias}@kauke.test`, message });
  const mail = (await mx.waitForMessages(1)).find(({ bytes }) => String(bytes).includes("plans"));
  const reply = /r(?:-[a-z2-7]{5}){4}@kauke\.test/.exec(String(mail?.bytes))?.[0] as string;
  mx.reset();
  return { reply, send: `${alias}+victim=third.example@kauke.test` };
}

let count = 0;
interface Written {
  host: Host;
  from: string;
  fields?: readonly string[];
  isSigned?: boolean;
  helo?: string;
}

async function write(to: string, { host, from, fields = [], isSigned = false, helo }: Written): Promise<string> {
  count += 1;
  const header = [`From: Jonas <${owner(host)}>`, `To: ${to}`, `Subject: ${count}`, `Message-ID: <${count}@${host}>`];
  const message = `${[...header, ...fields].join("\r\n")}\r\n\r\nI quit\r\n`;
  const sent = { port: system.mxPort, from, to, message: isSigned ? signers[host].sign(message) : message };
  return (await sendMail({ ...sent, ...(helo === undefined ? {} : { helo }) })).last;
}

async function sentTo(): Promise<string[]> {
  await vi.waitFor(async () => expect(await system.server.store.deliveries.count()).toBe(0));
  return mx.messages.flatMap(({ rcptTo }) => rcptTo);
}

const notAllowed = /^550 5\.7\.1 Only the alias' owner may write here/;
const accepted = /^250 /;

describe.each(["shared.example", "gmail.com"] as const)("at %s, which other people use,", (host) => {
  const neighbours: [string, Partial<Written>][] = [
    ["another mailbox in MAIL FROM", { from: `mallory@${host}` }],
    ["another mailbox in MAIL FROM, signed by the host", { from: `mallory@${host}`, isSigned: true }],
    ["a mailbox in MAIL FROM that begins like the owner's", { from: `jonas.x+jonas@${host}` }],
    ["the null sender of a host of the domain", { from: "", helo: `mx.${host}` }],
    ["the null sender, signed", { from: "", helo: `mx.${host}`, isSigned: true }],
    ["a foreign envelope, signed by the host", { from: "eve@sender.example", isSigned: true }],
  ];

  test.each(neighbours)("%s does not write as the owner", async (_, written) => {
    const { reply, send } = await addressesAt(host);
    expect(await write(reply, { host, from: "", ...written })).toMatch(notAllowed);
    expect(await write(send, { host, from: "", ...written })).toMatch(accepted);
    expect(await sentTo()).toEqual([owner(host)]);
  });

  test.each([owner(host), `Jonas@${host.toUpperCase()}`, `prvs=01234abcde=jonas@${host}`])(
    "%s in MAIL FROM writes as the owner",
    async (from) => {
      const { reply, send } = await addressesAt(host);
      expect(await write(reply, { host, from })).toMatch(accepted);
      expect(await write(send, { host, from })).toMatch(accepted);
      expect((await sentTo()).sort()).toEqual(["ann@sender.example", "victim@third.example"]);
    },
  );

  test("a sub-address in MAIL FROM answers as the owner", async () => {
    const { reply } = await addressesAt(host);
    expect(await write(reply, { host, from: `jonas+caf_=x=y.example@${host}` })).toMatch(accepted);
    expect(await sentTo()).toEqual(["ann@sender.example"]);
  });

  test("a signed absence note from the null sender still goes to whom it answers", async () => {
    const { reply } = await addressesAt(host);
    const fields = ["Auto-Submitted: auto-replied"];
    expect(await write(reply, { host, from: "", isSigned: true, fields })).toMatch(accepted);
    expect(await sentTo()).toEqual(["ann@sender.example"]);
  });
});

test("a neighbour at the domain above, whose SPF DMARC aligns, does not write as the owner", async () => {
  const host = "staff.shared.example";
  const { reply } = await addressesAt(host);
  expect(await write(reply, { host, from: "mallory@shared.example" })).toMatch(notAllowed);
  expect(await write(reply, { host, from: owner(host) })).toMatch(accepted);
  expect(await sentTo()).toEqual(["ann@sender.example"]);
});

describe.each(["own.example", "half.example"] as const)("at %s, which only one account uses,", (host) => {
  test("the host's own envelope, its null sender and a signature prove the owner's answers", async () => {
    const { reply } = await addressesAt(host);
    expect(await write(reply, { host, from: `bounces@mx.${host}` })).toMatch(accepted);
    expect(await write(reply, { host, from: "eve@sender.example", isSigned: true })).toMatch(accepted);
    expect(await write(reply, { host, from: "", helo: `mx.${host}` })).toMatch(accepted);
    expect(await sentTo()).toEqual(Array(3).fill("ann@sender.example"));
  });
});
