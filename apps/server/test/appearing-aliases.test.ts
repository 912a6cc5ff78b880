/** Aliases that the first mail to them makes on an own domain, over real SMTP, and how the owner refuses one for good. */
import { type AliasWire, limits } from "@kauke/contract";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding, startForwardingSystem } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({
  "mail.sender.example": spf,
  "refused.example": { txt: ["v=spf1 -all"] },
  "_dmarc.refused.example": { txt: ["v=DMARC1; p=reject"] },
});
const { mx, system, person } = await setUpForwarding({ dns, env: { KAUKE_MAIL_HOST: "mail.kauke.test" } });
const unknown = "550 5.1.1 No such address here";

beforeEach(() => mx.reset());

let made = 0;
/** A proven domain of the account, with these rules. */
async function domainWith(
  rules: object,
  { owner = person, at = system, below = "" }: { owner?: Person; at?: typeof system; below?: string } = {},
) {
  const domain = `${below}own${++made}.example`;
  const userId = owner.user.id;
  const { accountDomains } = at.server.store;
  const added = await accountDomains.add({ userId, domain, token: "t" }, { now: new Date(), max: 50 });
  if (typeof added === "string") throw new Error(added);
  const now = new Date();
  await accountDomains.saveCheck({ userId, id: added.id }, { seen: [], verdict: "proves", begunAt: now, now });
  const changed = await owner.call("PATCH", `/api/account/domains/${added.id}`, rules);
  expect(changed).toMatchObject({ status: 200, body: { id: added.id, ...rules } });
  return { domain, id: added.id };
}

async function send(to: string | readonly string[], from = "ann@mail.sender.example") {
  const author = from === "" ? "ann@mail.sender.example" : from;
  const message = `From: Ann <${author}>\r\nSubject: hi\r\nMessage-ID: <${++made}@x.example>\r\n\r\nbody\r\n`;
  return await sendMail({ port: system.mxPort, from, to, message });
}

const aliasesOn = async (domain: string): Promise<AliasWire[]> =>
  (await person.listAliases()).filter((alias) => alias.domain === domain);

test("a message to an unknown name makes the alias, which forwards it to the default mailbox and says who wrote", async () => {
  const { domain } = await domainWith({ appear: "all" });
  expect((await send(`Shop.K7@${domain}`)).last).toMatch(/^250 2\.0\.0 Ok /);
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.rcptTo).toEqual([person.email]);
  const [alias, ...others] = await aliasesOn(domain);
  expect(others).toEqual([]);
  expect(alias).toMatchObject({ alias: "shop.k7", forwardTo: person.email, active: true, notes: null });
  expect(alias?.madeByMail).toEqual({ organisation: "sender.example", at: expect.stringMatching(/^20/) });
  expect((await send(`shop.k7@${domain}`)).last).toMatch(/^250 /);
  expect(await aliasesOn(domain)).toEqual([alias]);
});

test("a sender who is not proven is not named", async () => {
  const { domain } = await domainWith({ appear: "all" });
  expect((await send(`news@${domain}`, "eve@unproven.example")).last).toMatch(/^250 /);
  expect((await aliasesOn(domain))[0]?.madeByMail?.organisation).toBeNull();
});

test("names that the rules do not allow are refused at RCPT as unknown ones, and so is all while off", async () => {
  const { domain, id } = await domainWith({
    appear: "prefixes",
    prefixes: ["shop.", "news"],
    neverNames: ["shop.spam"],
  });
  for (const name of ["mine", "xshop.a", "shop.spam", "SHOP.Spam", "shop.spam+a", "shop.a+b=c.example", "shop..a"])
    expect((await send(`${name}@${domain}`)).replies[1]).toMatch(/^550 5\.1\.1 /);
  expect((await send(`shop.a@${domain}`)).last).toMatch(/^250 /);
  expect((await person.call("PATCH", `/api/account/domains/${id}`, { appear: "off" })).status).toBe(200);
  expect((await send(`shop.b@${domain}`)).replies[1]).toBe(unknown);
  expect((await send(`shop.a@${domain}`)).last).toMatch(/^250 /);
  expect((await aliasesOn(domain)).map(({ alias }) => alias)).toEqual(["shop.a"]);
});

test("no alias is made by RCPT alone, by a report, or by a message that DMARC refuses", async () => {
  const { domain } = await domainWith({ appear: "all" });
  const talk = await smtpTalk(system.mxPort);
  await talk.ask("EHLO client.example");
  await talk.ask("MAIL FROM:<ann@mail.sender.example>");
  expect(await talk.ask(`RCPT TO:<guessed@${domain}>`)).toMatch(/^250 /);
  await talk.ask("RSET");
  talk.close();
  expect((await send(`guessed@${domain}`, "")).replies[1]).toBe(unknown);
  expect((await send(`guessed@${domain}`, "eve@refused.example")).last).toMatch(/^550 5\.7\.26 /);
  expect(await aliasesOn(domain)).toEqual([]);
});

test("two messages at once to the same name make one alias, and both arrive", async () => {
  const { domain } = await domainWith({ appear: "all" });
  const sent = await Promise.all([1, 2, 3].map(() => send(`once@${domain}`)));
  expect(sent.map(({ last }) => last.slice(0, 3))).toEqual(["250", "250", "250"]);
  expect(await aliasesOn(domain)).toHaveLength(1);
  expect(await mx.waitForMessages(3)).toHaveLength(3);
});

test("an alias that is kept is like any other, and one that is refused is not made again", async () => {
  const { domain, id } = await domainWith({ appear: "all" });
  await send([`kept@${domain}`, `spam@${domain}`, `gone@${domain}`]);
  const byName = new Map((await aliasesOn(domain)).map((alias) => [alias.alias, alias.id]));
  const kept = await person.call("PUT", `/api/aliases/${byName.get("kept")}`, { madeByMail: null });
  expect(kept).toMatchObject({ status: 200, body: { alias: "kept" } });
  expect(kept.body).not.toHaveProperty("madeByMail");
  expect((await person.call("POST", `/api/aliases/${byName.get("spam")}/refuse`)).status).toBe(200);
  expect((await send(`spam@${domain}`)).replies[1]).toBe(unknown);
  const listed = (await person.call("GET", "/api/account/domains")).body as { domains: { id: string }[] };
  expect(listed.domains.find((one) => one.id === id)).toMatchObject({ neverNames: ["spam"], aliasCount: 2 });
  // Only deleted, a name may appear again.
  await person.call("DELETE", `/api/aliases/${byName.get("gone")}`);
  expect((await send(`gone@${domain}`)).last).toMatch(/^250 /);
  expect((await person.call("PATCH", `/api/account/domains/${id}`, { neverNames: [] })).status).toBe(200);
  expect((await send(`spam@${domain}`)).last).toMatch(/^250 /);
});

test("only an own alias on an own domain can be refused", async () => {
  const { domain } = await domainWith({ appear: "all" });
  await send(`mine@${domain}`);
  const [mine] = await aliasesOn(domain);
  const other = await registerPerson(system.url);
  expect((await other.call("POST", `/api/aliases/${mine?.id}/refuse`)).status).toBe(404);
  const elsewhere = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  expect(await person.call("POST", `/api/aliases/${elsewhere.id}/refuse`)).toMatchObject({
    status: 409,
    body: { code: "not_possible" },
  });
  expect((await person.listAliases()).map(({ id }) => id)).toEqual(expect.arrayContaining([mine?.id, elsewhere.id]));
});

test("rules are the owner's alone, and wrong ones are refused", async () => {
  const { id } = await domainWith({ appear: "all" });
  const path = `/api/account/domains/${id}`;
  const other = await registerPerson(system.url);
  expect((await other.call("PATCH", path, { appear: "off" })).status).toBe(404);
  expect((await person.call("PATCH", "/api/account/domains/x", { appear: "off" })).status).toBe(404);
  for (const wrong of [
    {},
    { appear: "some" },
    { appear: "prefixes" },
    { prefixes: [".*"] },
    { prefixes: ["(a+)+$"] },
    { prefixes: [""] },
    { prefixes: Array.from({ length: 21 }, (_, at) => `a${at}`) },
    { neverNames: ["a@b"] },
    { neverNames: Array.from({ length: 1001 }, (_, at) => `a${at}`) },
  ])
    expect([wrong, (await person.call("PATCH", path, wrong)).status]).toEqual([wrong, 400]);
  const given = { prefixes: [" Shop. ", "shop."], neverNames: ["Spam", "spam"] };
  const { body } = await person.call("PATCH", path, given);
  expect(body).toMatchObject({ appear: "all", prefixes: ["shop."], neverNames: ["spam"] });
});

test("mail to a name with a tag reaches the alias without it, and makes that alias", async () => {
  const { domain } = await domainWith({ appear: "all" });
  expect((await send(`Shop+Summer@${domain}`)).last).toMatch(/^250 /);
  expect((await send(`shop+winter@${domain}`)).last).toMatch(/^250 /);
  expect(await mx.waitForMessages(2)).toHaveLength(2);
  expect((await aliasesOn(domain)).map(({ alias }) => alias)).toEqual(["shop"]);
});

test("a subdomain as own domain makes aliases of its own, not those of its parent", async () => {
  const { domain } = await domainWith({ appear: "all" }, { below: "me." });
  expect((await send(`anything@${domain}`)).last).toMatch(/^250 /);
  expect((await aliasesOn(domain)).map(({ alias }) => alias)).toEqual(["anything"]);
  expect((await send(`anything@${domain.slice("me.".length)}`)).replies[1]).toMatch(/^550 5\.7\.1 /);
});

test("an unknown name of an account with as many aliases as it may have is refused as unknown", async () => {
  const owner = await registerPerson(system.url);
  const { domain } = await domainWith({ appear: "all" }, { owner });
  const lines = Array.from({ length: limits.aliasesMax }, (_, at) => `full${at}@${domain},,True,${owner.email}`);
  const headers = { cookie: owner.cookie, "content-type": "application/octet-stream" };
  const body = ["alias,note,enabled,mailboxes", ...lines].join("\r\n");
  const file = await fetch(`${system.url}/api/imports`, { method: "POST", headers, body });
  const { importId } = (await file.json()) as { importId: string };
  const path = `/api/imports/${importId}`;
  expect((await owner.call("POST", `${path}/run`)).status).toBe(200);
  const state = async () => ((await owner.call("GET", path)).body as { state: string }).state;
  await expect.poll(state, { timeout: 120_000, interval: 200 }).toBe("done");
  expect((await send(`one.more@${domain}`)).last).toMatch(/^550 5\.1\.1 /);
  expect((await send(`one.more@${domain}`)).replies[1]).toBe(unknown);
  expect((await send(`full7@${domain}`)).last).toMatch(/^250 /);
}, 180_000);

test("without a confirmed default mailbox nothing appears", async () => {
  await using forwarding = await startForwardingSystem({
    confirmation: true,
    env: { KAUKE_LIMITS: "mail_alias=600/60" },
  });
  const { domain } = await domainWith({ appear: "all" }, { owner: forwarding.person, at: forwarding.system });
  const { replies } = await sendMail({
    port: forwarding.system.mxPort,
    to: `shop@${domain}`,
    message: "From: a@b.example\r\n\r\nx\r\n",
  });
  expect(replies[1]).toBe(unknown);
  expect(await forwarding.person.listAliases()).toEqual([]);
});
