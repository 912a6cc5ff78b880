/** Mail of own domains of accounts, over real SMTP: what is accepted and when, and that what leaves is signed by the domain. */
import { domainToASCII } from "node:url";
import { anAlias, mailboxDestination } from "@kauke/server/store/rows.testing";
import type { MailAtFakeMx } from "@kauke/testkit/fakes/fake-mx";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { byMailauth } from "@kauke/testkit/programs/verify-dkim";
import { sendMail } from "@kauke/testkit/send-mail";
import { signedInTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, expect, test, vi } from "vitest";

const { mx, system, person } = await setUpForwarding({ env: { KAUKE_MAIL_HOST: "mail.kauke.test" } });
const { store } = system.server;
const userId = person.user.id;
const message = "From: Ann <ann@sender.example>\r\nSubject: hi\r\nMessage-ID: <1@sender.example>\r\n\r\nbody\r\n";
const relayDenied = /^550 5\.7\.1 This host does not relay/;
const unknownAlias = /^550 5\.1\.1 /;

beforeEach(() => mx.reset());

async function addDomain(domain: string, owner = userId) {
  const now = new Date();
  const added = await store.accountDomains.add({ userId: owner, domain, token: "kauke-domain=t" }, { now, max: 50 });
  if (typeof added === "string") throw new Error(added);
  return added;
}

function prove(id: string, owner = userId) {
  const now = new Date();
  return store.accountDomains.saveCheck({ userId: owner, id }, { seen: [], verdict: "proves", begunAt: now, now });
}

async function provenDomain(domain: string) {
  const added = await addDomain(domain);
  expect(await prove(added.id)).toBe("saved");
  return added;
}

async function aliasOn(domain: string, owner = userId) {
  const alias = anAlias(owner, { domain });
  await store.aliases.insert(alias);
  return { ...alias, address: `${alias.name}@${domain}` };
}

async function send(to: string, { from = "ann@sender.example", text = message, params = "SMTPUTF8" } = {}) {
  return (await sendMail({ port: system.mxPort, from, to, message: text, params })).last;
}

async function forwarded() {
  return (await mx.waitForMessages(1))[0] as { bytes: Buffer; envelopeFrom?: string; mailFrom?: string };
}

const activeTo = (address: string) => ({ state: "active" as const, destinations: [mailboxDestination(address)] });

const field = (bytes: Buffer, name: string) =>
  new RegExp(`^${name}: ?(.*(?:\r\n[ \t].*)*)`, "im").exec(bytes.toString("utf8"))?.[1] ?? "";

test("mail is accepted from the proof on, and no longer once the domain is removed", async () => {
  const { id } = await addDomain("own.example");
  const to = "shop@own.example";
  expect(await send(to)).toMatch(relayDenied);
  expect(await send("postmaster@own.example")).toMatch(relayDenied);
  expect(await prove(id)).toBe("saved");
  expect(await send(to)).toMatch(unknownAlias);
  const alias = await aliasOn("own.example");
  expect(await send(alias.address)).toMatch(/^250 /);
  expect(await send(`${alias.name.toUpperCase()}@OWN.example`)).toMatch(/^250 /);
  await store.aliases.delete(userId, alias.id);
  expect(await send(alias.address)).toMatch(unknownAlias);
  expect(await store.accountDomains.delete(userId, id)).toBe("deleted");
  expect(await send(alias.address)).toMatch(relayDenied);
});

test("a domain in Unicode takes mail in either spelling", async () => {
  const domain = domainToASCII("ąžuolas.example");
  await provenDomain(domain);
  const alias = await aliasOn(domain);
  for (const spelling of [domain, "ąžuolas.example", "ĄŽUOLAS.example"]) {
    mx.reset();
    expect(await send(`${alias.name}@${spelling}`)).toMatch(/^250 /);
    expect(field((await forwarded()).bytes, "Delivered-To")).toBe(alias.address);
  }
  expect(await send(`nobody@ąžuolas.example`)).toMatch(unknownAlias);
  const others = ["azuolas.example", "ąžuolas\u{ff0e}example", "ąžuolas.\u{ff45}xample", "ąžu\u{ad}olas.example"];
  for (const other of others) expect(await send(`${alias.name}@${other}`)).toMatch(relayDenied);
});

test("postmaster and abuse of the domain reach the operator", async () => {
  await provenDomain("operator.example");
  for (const name of ["postmaster", "Abuse"]) expect(await send(`${name}@operator.example`)).toMatch(/^250 /);
});

test("a forwarded message is signed with the key that the domain publishes, and its bounce comes back", async () => {
  const { dkim } = await provenDomain("signed.example");
  const alias = await aliasOn("signed.example");
  expect(await send(alias.address)).toMatch(/^250 /);
  const { bytes } = await forwarded();
  expect(field(bytes, "DKIM-Signature").replaceAll(/\s/g, "")).toMatch(/;d=signed\.example;s=kauke1;/);
  const [signing, next] = dkim;
  const name = "kauke1._domainkey.signed.example";
  expect(signing?.selector).toBe("kauke1");
  expect(await byMailauth(bytes, { name, value: String(signing?.text) })).toBe("pass");
  expect(await byMailauth(bytes, { name, value: String(next?.text) })).toBe("fail");
  const bounceTo = /^MAIL FROM:<(.*?)>/m.exec(mx.commands.join("\n"))?.[1] ?? "";
  expect(bounceTo).toMatch(/@signed\.example$/);
  expect(await send(bounceTo, { from: "", text: "Subject: failed\r\n\r\n" })).toMatch(/^250 /);
  expect(await send(bounceTo)).toMatch(/^550 5\.7\.1 This address takes delivery reports only/);
});

test("a reply leaves from the alias on the domain, signed by it, and reaches the correspondent", async () => {
  const { dkim } = await provenDomain("replies.example");
  const alias = await aliasOn("replies.example");
  await send(alias.address);
  const replyTo = /<(.*?)>/.exec(field((await forwarded()).bytes, "From"))?.[1] ?? "";
  expect(replyTo).toMatch(/@replies\.example$/);
  const login = await person.createSmtpCredential(alias.id);
  expect(login.username).toBe(alias.address);
  mx.reset();
  const talk = await signedInTalk(system.submissionPort, login, { helo: "laptop.example" });
  expect(await talk.ask(`MAIL FROM:<${alias.address}>`)).toMatch(/^250 /);
  expect(await talk.ask(`RCPT TO:<${replyTo}>`)).toMatch(/^250 /);
  await talk.ask("DATA");
  const written = [`From: Me <${alias.address}>`, `To: <${replyTo}>`, "Subject: Re: hi", "", "the reply"];
  expect(await talk.ask(`${written.join("\r\n")}\r\n.`)).toMatch(/^250 /);
  talk.close();
  const { bytes } = await forwarded();
  expect(mx.commands).toContain("RCPT TO:<ann@sender.example>");
  expect(field(bytes, "From")).toContain(alias.address);
  expect(field(bytes, "To")).toContain("ann@sender.example");
  expect(field(bytes, "DKIM-Signature").replaceAll(/\s/g, "")).toMatch(/;d=replies\.example;s=kauke1;/);
  const record = { name: "kauke1._domainkey.replies.example", value: String(dkim[0]?.text) };
  expect(await byMailauth(bytes, record)).toBe("pass");
});

test("while this process may have missed a proof, mail to an unknown domain is deferred", async () => {
  const isCurrent = vi.spyOn(store.provenDomains, "isCurrent").mockReturnValue(false);
  expect(await send("shop@unknown.example")).toMatch(/^451 4\.3\.0 /);
  isCurrent.mockRestore();
  expect(await send("shop@unknown.example")).toMatch(relayDenied);
});

test("an alias that another account has on the domain, from before it was proven, gets no mail and sends none", async () => {
  const { id: bob } = (await registerPerson(system.url)).user;
  const older = await aliasOn("former.example", bob);
  await provenDomain("former.example");
  expect(await send(older.address)).toMatch(unknownAlias);
  expect(await store.aliases.findRouteById(older.id)).toBeNull();
});

test("a program that writes an own domain in Unicode sends as the alias, signed by the domain", async () => {
  const domain = domainToASCII("bücher.example");
  const { dkim } = await provenDomain(domain);
  const alias = await aliasOn(domain);
  const login = await person.createSmtpCredential(alias.id);
  for (const spelling of ["bücher.example", "BÜCHER.example", domain]) {
    mx.reset();
    const written = `${alias.name}@${spelling}`;
    const talk = await signedInTalk(system.submissionPort, { ...login, username: written }, { helo: "laptop.example" });
    if (spelling !== domain) expect(await talk.ask(`MAIL FROM:<${written}>`)).toMatch(/^553 5\.6\.7 /);
    expect(await talk.ask(`MAIL FROM:<other@${spelling}> SMTPUTF8`)).toMatch(/^553 5\.7\.1 /);
    expect(await talk.ask(`MAIL FROM:<${written}> SMTPUTF8`)).toMatch(/^250 /);
    expect(await talk.ask("RCPT TO:<ann@sender.example>")).toMatch(/^250 /);
    await talk.ask("DATA");
    const text = [`From: Ich <${written}>`, "To: ann@sender.example", `Cc: ${written}`, "Subject: hi", "", "body"];
    expect(await talk.ask(`${text.join("\r\n")}\r\n.`)).toMatch(/^250 /);
    talk.close();
    const { bytes } = await forwarded();
    expect(bytes.every((octet) => octet < 128)).toBe(true);
    expect(field(bytes, "From")).toBe(alias.address);
    expect(field(bytes, "Cc")).toBe("");
    expect(mx.commands.join("\n")).toMatch(new RegExp(`^MAIL FROM:<${alias.address}>(?!.*SMTPUTF8)`, "m"));
    expect(field(bytes, "DKIM-Signature").replaceAll(/\s/g, "")).toContain(`;d=${domain};s=kauke1;`);
    const record = { name: `kauke1._domainkey.${domain}`, value: String(dkim[0]?.text) };
    expect(await byMailauth(bytes, record)).toBe("pass");
  }
});

test("a mailbox whose domain becomes an own one is the alias of that name, or refused; nothing loops", async () => {
  const { user: bob } = await registerPerson(system.url);
  const alias = anAlias(userId, { routing: activeTo("me@later.example") });
  await store.aliases.insert(alias);
  const to = `${alias.name}@${alias.domain}`;
  /** The relay delivers its newest message to the domain's MX, which is this server. */
  const returned = async () => {
    const { bytes, envelopeFrom, rcptTo } = (await mx.waitForMessages(1))[0] as MailAtFakeMx;
    mx.reset();
    return await send(String(rcptTo[0]), { from: envelopeFrom, text: bytes.toString("latin1") });
  };
  expect(await send(to)).toMatch(/^250 /);
  expect(await returned()).toMatch(relayDenied);

  const { id } = await addDomain("later.example", bob.id);
  expect(await prove(id, bob.id)).toBe("saved");
  expect(await send(to)).toMatch(/^250 /);
  expect(await returned()).toMatch(unknownAlias);

  await store.aliases.insert(anAlias(bob.id, { name: "me", domain: "later.example" }));
  expect(await send(to)).toMatch(/^250 /);
  expect(await returned()).toMatch(/^250 /);
  expect(String((await forwarded()).bytes).match(/^Delivered-To: .*$/gim)).toEqual([
    "Delivered-To: me@later.example",
    `Delivered-To: ${to}`,
  ]);

  // Rows from before the domains were proven, since each such choice is refused from then on.
  await provenDomain("loop.example");
  const first = { name: "first", domain: "loop.example", routing: activeTo("second@later.example") };
  const second = { name: "second", domain: "later.example", routing: activeTo("first@loop.example") };
  await store.aliases.insert(anAlias(userId, first));
  await store.aliases.insert(anAlias(bob.id, second));
  mx.reset();
  expect(await send("first@loop.example")).toMatch(/^250 /);
  expect(await returned()).toMatch(/^250 /);
  expect(await returned()).toMatch(/^554 5\.4\.6 Mail loop/);
  expect(mx.messages).toHaveLength(0);
});
