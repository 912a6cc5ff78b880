/** Names that correspondents see beside an alias' address: set by calls, in mail of each kind that leaves. */
import { randomBytes, randomUUID } from "node:crypto";
import type { AliasWire } from "@kauke/contract";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf });
const { mx, system, person } = await setUpForwarding({ dns, env: { KAUKE_UNDO_SECONDS: "0" } });
const mailbox = "jonas.real@inbox.example";
let made = 0;

beforeEach(() => mx.reset());

async function ownDomain() {
  const domain = `named${++made}.example`;
  const { accountDomains } = system.server.store;
  const userId = person.user.id;
  const added = await accountDomains.add({ userId, domain, token: "t" }, { now: new Date(), max: 50 });
  if (typeof added === "string") throw new Error(added);
  const now = new Date();
  await accountDomains.saveCheck({ userId, id: added.id }, { seen: [], verdict: "proves", begunAt: now, now });
  return { domain, path: `/api/account/domains/${added.id}` };
}

const nameAlias = ({ id }: AliasWire, displayName: string) => person.call("PUT", `/api/aliases/${id}`, { displayName });

async function fromOfNext(): Promise<string | undefined> {
  const [mail] = await mx.waitForMessages(1);
  const text = String(mail?.bytes);
  expect(text).not.toMatch(/jonas|real|inbox\.example/i);
  mx.reset();
  return /^From: .*(?:\r\n[ \t].*)*/m.exec(text)?.[0];
}

type Login = Awaited<ReturnType<typeof person.createSmtpCredential>>;

async function submit(login: Login): Promise<string | undefined> {
  const talk = await signedInTalk(system.submissionPort, login, { helo: "laptop.example" });
  for (const command of [`MAIL FROM:<${login.username}>`, "RCPT TO:<ann@a.example>", "DATA"]) await talk.ask(command);
  expect(await talk.ask(`From: Jonas Real <${login.username}>\r\nTo: ann@a.example\r\n\r\nhi\r\n.`)).toMatch(/^250 /);
  talk.close();
  return fromOfNext();
}

test("mail by submission has the alias' name, else its domain's, else none, and never the program's", async () => {
  const { domain, path } = await ownDomain();
  const alias = await person.createAlias({ forwardTo: mailbox, domain });
  const address = `${alias.alias}@${domain}`;
  const login = await person.createSmtpCredential(alias.id);
  expect(await submit(login)).toBe(`From: ${address}`);
  expect(await person.call("PATCH", path, { displayName: " Shop of  Own " })).toMatchObject({
    status: 200,
    body: { displayName: "Shop of Own", appear: "off" },
  });
  expect(await submit(login)).toBe(`From: Shop of Own <${address}>`);
  expect(await nameAlias(alias, "Ąžuolas, Own")).toMatchObject({ status: 200, body: { displayName: "Ąžuolas, Own" } });
  expect(await submit(login)).toBe(`From: =?utf-8?B?xITFvnVvbGFzLCBPd24=?= <${address}>`);
  const cleared = await nameAlias(alias, "");
  expect(cleared.body).not.toHaveProperty("displayName");
  expect(await submit(login)).toBe(`From: Shop of Own <${address}>`);
  expect(await person.call("PATCH", path, { displayName: "", appear: "all" })).toMatchObject({
    status: 200,
    body: { displayName: null, appear: "all" },
  });
  expect(await submit(login)).toBe(`From: ${address}`);
});

async function confirmMailbox(): Promise<void> {
  const { destinations } = system.server.store;
  const tokenHash = randomBytes(32);
  const tokenExpiresAt = new Date(Date.now() + 3_600_000);
  const asked = { id: randomUUID(), userId: person.user.id, address: mailbox, tokenHash, tokenExpiresAt };
  await destinations.ask({ ...asked, isByOwner: true });
  await destinations.decideByLink(tokenHash, "mine");
}

test("replies, messages by address and composed ones have it, also on the server's own domains", async () => {
  const alias = await person.createAliasToWriteBy({ forwardTo: mailbox });
  const address = `${alias.alias}@${alias.domain}`;
  await confirmMailbox();
  await nameAlias(alias, "Book Club");
  const from = `From: Book Club <${address}>`;
  const write = (to: string) =>
    sendMail({
      port: system.mxPort,
      from: mailbox,
      to,
      message: `From: Jonas Real <${mailbox}>\r\nTo: ${to}\r\nSubject: hi\r\n\r\nbody\r\n`,
    });
  expect((await write(`${alias.alias}+ann=a.example@${alias.domain}`)).last).toMatch(/^250 /);
  expect(await fromOfNext()).toBe(from);
  const message = "From: Ann <ann@a.example>\r\nSubject: hi\r\n\r\nbody\r\n";
  await sendMail({ port: system.mxPort, from: "ann@a.example", to: address, message });
  const [copy] = await mx.waitForMessages(1);
  const replyTo = /<(r-[^\s<>]+)>/.exec(String(copy?.bytes))?.[1] ?? "";
  mx.reset();
  expect((await write(replyTo)).last).toMatch(/^250 /);
  expect(await fromOfNext()).toBe(from);
  await person.createSmtpCredential(alias.id);
  const letter = { to: "ann@a.example", subject: "hi", body: "text", priority: 0, useEncryption: false };
  const { status } = await person.call("POST", "/api/email-jobs", { ...letter, fromAliasId: alias.id });
  expect(status).toBe(201);
  expect(await fromOfNext()).toBe(from);
  const senders = await person.call("GET", `/api/aliases/${person.user.id}/with-smtp`);
  expect((senders.body as { aliases: unknown[] }).aliases).toContainEqual({
    id: alias.id,
    alias: alias.alias,
    domain: alias.domain,
    displayName: "Book Club",
  });
});

test("a name that looks like an address, or reveals a mailbox, is refused for aliases and domains alike", async () => {
  const { path } = await ownDomain();
  const alias = await person.createAlias({ forwardTo: mailbox });
  const calls = [
    (displayName: unknown) => person.call("PUT", `/api/aliases/${alias.id}`, { displayName }),
    (displayName: unknown) => person.call("PATCH", path, { displayName }),
  ];
  for (const call of calls) {
    for (const name of [
      "boss@bank.example",
      "Jonas\r\nBcc: x",
      "\u202eabc",
      "x".repeat(65),
      "jonas.real at inbox.example",
      null,
      1,
    ]) {
      const refused = await call(name);
      expect([name, refused.status]).toEqual([name, 400]);
      expect((refused.body as { errors: object }).errors).toHaveProperty("displayName");
    }
    expect((await call("Jonas")).status).toBe(200);
  }
  const eve = await registerPerson(system.url);
  expect((await eve.call("PATCH", path, { displayName: "Eve" })).status).toBe(404);
  expect((await eve.call("PUT", `/api/aliases/${alias.id}`, { displayName: "Eve" })).status).toBe(404);
});
