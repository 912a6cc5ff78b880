/**
 * Never an open relay: the classic list of address spellings that made hosts relay mail for strangers, each by name. A
 * fake mail host receives everything that leaves; a message that may pass shows that it would be seen there.
 */
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { greetedTalk, type SmtpTalk, secureTalk, signedInTalk } from "@kauke/testkit/smtp-talk";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const message = "From: Ann <ann@example.org>\r\nSubject: hi\r\n\r\nhello";
const {
  mx: outside,
  system,
  person,
} = await setUpForwarding({ env: { KAUKE_MAIL_HOST: "mail.kauke.test", KAUKE_RETRY_SCHEDULE: "1s" } });
let before: number;

beforeAll(async () => {
  await person.createAlias({ alias: "shop", forwardTo: "owner@inbox.example" });
});

beforeEach(() => {
  before = outside.connections;
});

/** Sends MAIL, RCPT and, if these are accepted, the message. @returns the replies to MAIL and RCPT */
async function tryToSend(
  rcpt: string,
  { from = "<ann@example.org>", helo = "client.example" } = {},
): Promise<string[]> {
  const talk = await greetedTalk(system.mxPort, { helo });
  const answers = [await talk.ask(`MAIL FROM:${from}`), await talk.ask(`RCPT TO:${rcpt}`)];
  if ((await talk.ask("DATA")).startsWith("354")) await talk.ask(`${message}\r\n.`);
  talk.send("QUIT\r\n");
  await talk.rest();
  return answers;
}

async function expectNothingLeft(): Promise<void> {
  expect(outside.messages).toEqual([]);
  expect(outside.connections).toBe(before);
  expect(await system.server.store.deliveries.count()).toBe(0);
}

const victim = "user@victim.example";
const noRelay = /^550 5\.7\.1 This host does not relay/;
const noAlias = /^550 5\.1\.1 /;
const noPath = /^50[01] 5\.\d\.\d /;
const noReport = /^550 5\.7\.1 This address takes delivery reports only/;

const recipients: readonly (readonly [name: string, path: string, answer: RegExp])[] = [
  ["a plain foreign address", `<${victim}>`, noRelay],
  ["no angle brackets", victim, noPath],
  ["a source route over us", `<@kauke.test:${victim}>`, noRelay],
  ["a source route of several hops", `<@a.example,@kauke.test,@b.example:${victim}>`, noRelay],
  ["a source route over an address literal", `<@[127.0.0.1]:${victim}>`, noPath],
  ["the percent hack", "<user%victim.example@kauke.test>", noAlias],
  ["the percent hack, twice", "<user%victim.example%b.example@kauke.test>", noAlias],
  ["the percent hack over our mail host", "<user%victim.example@mail.kauke.test>", noRelay],
  ["the percent hack without a domain", "<user%victim.example>", noPath],
  ["the percent hack on postmaster", "<postmaster%victim.example@kauke.test>", noAlias],
  ["a bang path", "<victim.example!user>", noPath],
  ["a bang path at our domain", "<victim.example!user@kauke.test>", noAlias],
  ["a bang path over us", "<kauke.test!victim.example!user@b.example>", noRelay],
  ["bang path and percent hack", "<b.example!user%victim.example@kauke.test>", noAlias],
  ["a quoted local part that is an address", '<"user@victim.example"@kauke.test>', noAlias],
  ["a quoted address without a domain", '<"user@victim.example">', noPath],
  ["a quoted percent hack", '<"user%victim.example"@kauke.test>', noAlias],
  ["a quoted bang path", '<"victim.example!user"@kauke.test>', noAlias],
  ["a quoted path", '<"<user@victim.example>"@kauke.test>', noAlias],
  ["an escaped at sign", "<user\\@victim.example@kauke.test>", noPath],
  ["a foreign domain behind ours", "<user@kauke.test@victim.example>", noPath],
  ["our domain behind a foreign one", "<user@victim.example@kauke.test>", noPath],
  ["two addresses in one path", `<${victim},shop@kauke.test>`, noPath],
  ["two paths", `<shop@kauke.test><${victim}>`, noPath],
  ["a second path as a parameter", `<shop@kauke.test> <${victim}>`, /^555 /],
  ["a path within a path", `<<${victim}>@kauke.test>`, noPath],
  ["our address as an IPv4 literal", "<user@[127.0.0.1]>", noRelay],
  ["our address as an IPv6 literal", "<user@[IPv6:::1]>", noRelay],
  ["a foreign IPv4 literal", "<user@[192.0.2.1]>", noRelay],
  ["an IPv4 address without brackets", "<user@127.0.0.1>", noRelay],
  ["a number for an IPv4 address", "<user@[2130706433]>", noPath],
  ["localhost", "<user@localhost>", noRelay],
  ["our mail host's name", "<user@mail.kauke.test>", noRelay],
  ["a subdomain of ours", "<shop@sub.kauke.test>", noRelay],
  ["a domain that ends in ours", "<shop@notkauke.test>", noRelay],
  ["a domain that begins with ours", "<shop@kauke.test.victim.example>", noRelay],
  ["our domain with a trailing dot", "<shop@kauke.test.>", noPath],
  ["a foreign domain with a trailing dot", "<user@victim.example.>", noPath],
  ["a foreign domain in mixed case", "<User@VICTIM.Example>", noRelay],
  ["our domain with a Cyrillic a", "<shop@k\u0430uke.test>", noRelay],
  ["our domain in fullwidth letters", "<shop@\uff4b\uff41\uff55\uff4b\uff45.test>", noRelay],
  ["our domain with a fullwidth dot", "<shop@kauke\uff0etest>", noRelay],
  ["our domain with a soft hyphen", "<shop@kau\u00adke.test>", noRelay],
  ["our domain with an invisible joiner", "<shop@kau\u200dke.test>", noRelay],
  ["an at sign of another script", "<user\uff20victim.example@kauke.test>", noAlias],
  ["a space in the domain", "<user@victim.example kauke.test>", noPath],
  ["a space before the domain", "<user@ kauke.test>", noPath],
  ["a tab in the path", "<user@victim.example\tkauke.test>", noPath],
  ["a line feed in the path", `<shop@kauke.test\nRCPT TO:<${victim}>`, noPath],
  ["a carriage return in the path", `<shop@kauke.test\rRCPT TO:<${victim}>>`, noPath],
  ["a NUL behind our domain", "<user@victim.example\0@kauke.test>", noPath],
  ["no domain", "<user>", noPath],
  ["an empty domain", "<user@>", noPath],
  ["no local part", "<@kauke.test>", noPath],
  ["the empty path", "<>", noPath],
  ["somebody else's postmaster", "<postmaster@victim.example>", noRelay],
  ["a forged SRS address", "<SRS0=aaaaaaaa=AB=victim.example=user@kauke.test>", noReport],
  ["a forged SRS1 address", "<SRS1=aaaaaaaa=kauke.test==aaaa=AB=victim.example=user@kauke.test>", noReport],
  ["a forged reply address", "<r.aaaaaaaaaaaaaaaaaaaa@kauke.test>", noAlias],
  ["a DSN that would be sent elsewhere", `<shop@kauke.test> ORCPT=rfc822;${victim} NOTIFY=SUCCESS`, /^555 /],
];

const senders: readonly (readonly [name: string, from: string])[] = [
  ["a stranger", "<ann@example.org>"],
  ["the null sender", "<>"],
  ["our own domain", "<nobody@kauke.test>"],
  ["an alias of ours", "<shop@kauke.test>"],
  ["our postmaster", "<postmaster@kauke.test>"],
  ["the recipient itself", `<${victim}>`],
  ["an address literal of ours", "<shop@[127.0.0.1]>"],
  ["localhost", "<root@localhost>"],
  ["a source route over us", "<@kauke.test:ann@example.org>"],
];

describe("the MX relays nothing", () => {
  afterEach(expectNothingLeft);

  test.each(recipients)("to %s", async (_name, path, answer) => {
    const params = /[^\0-\x7f]/.test(path) ? "<ann@example.org> SMTPUTF8" : "<ann@example.org>";
    const [mail, rcpt] = await tryToSend(path, { from: params });
    expect(mail).toMatch(/^250 /);
    expect(rcpt).toMatch(answer);
  });

  test.each(senders)("for a foreign recipient from %s", async (_name, from) => {
    const [mail, rcpt] = await tryToSend(`<${victim}>`, { from });
    expect(mail).toMatch(/^250 /);
    expect(rcpt).toMatch(noRelay);
  });

  test.each(["kauke.test", "mail.kauke.test", "localhost", "[127.0.0.1]", "inbox.example"])(
    "for a client that calls itself %s",
    async (helo) => {
      for (const from of ["<ann@example.org>", "<shop@kauke.test>"]) {
        expect((await tryToSend(`<${victim}>`, { from, helo }))[1]).toMatch(noRelay);
      }
    },
  );

  test.each([
    ["XCLIENT ADDR=127.0.0.1 LOGIN=shop@kauke.test", /^500 /],
    ["XFORWARD ADDR=127.0.0.1 SOURCE=LOCAL", /^500 /],
    ["AUTH PLAIN AHNob3AAc2hvcA==", /^502 /],
    ["ETRN victim.example", /^500 /],
    ["TURN", /^500 /],
    [`SEND FROM:<${victim}>`, /^500 /],
    [`SAML FROM:<${victim}>`, /^500 /],
    ["BDAT 10 LAST", /^502 /],
  ])("after %s", async (line, answer) => {
    const talk = await greetedTalk(system.mxPort);
    expect(await talk.ask(line)).toMatch(answer);
    expect(await talk.ask("MAIL FROM:<shop@kauke.test>")).toMatch(/^250 /);
    expect(await talk.ask(`RCPT TO:<${victim}>`)).toMatch(noRelay);
    talk.close();
  });

  test("behind a line feed in the sender", async () => {
    const talk = await greetedTalk(system.mxPort);
    talk.send(`MAIL FROM:<ann@example.org>\nRCPT TO:<${victim}>\r\n`);
    expect(await talk.reply()).toMatch(/^250 /);
    expect(await talk.reply()).toMatch(noRelay);
    expect(await talk.ask("DATA")).toMatch(/^554 /);
    talk.close();
  });
});

test("VRFY and EXPN reveal nothing: existing and unknown names get the same reply", async () => {
  const talk = await greetedTalk(system.mxPort);
  for (const verb of ["VRFY", "EXPN"]) {
    const answers = [];
    for (const who of ["shop", "shop@kauke.test", "nobody@kauke.test", victim, "postmaster"]) {
      answers.push(await talk.ask(`${verb} ${who}`));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(verb === "VRFY" ? /^252 / : /^502 /);
    expect(answers[0]).not.toMatch(/shop|inbox|victim/);
  }
  talk.close();
});

test.each([
  ["plainly", "shop@kauke.test"],
  ["in mixed case", "Shop@KAUKE.Test"],
  ["with a source route, which is dropped", "@a.example,@b.example:shop@kauke.test"],
  ["needlessly quoted", '"shop"@kauke.test'],
  ["with a tag that looks like an address", "shop+user=victim.example@kauke.test"],
  ["with a tag that holds the percent hack", "shop+user%victim.example@kauke.test"],
])("control: mail for an alias of ours, written %s, is sent to its owner and nobody else", async (_how, to) => {
  const { last } = await sendMail({ port: system.mxPort, to, message: `${message}\r\n` });
  expect(last).toMatch(/^250 /);
  expect(outside.messages.map((mail) => mail.rcptTo)).toEqual([["owner@inbox.example"]]);
  outside.messages.length = 0;
});

describe("submission", () => {
  let alias: { username: string; password: string };

  beforeAll(async () => {
    const { id } = await person.createAlias({ alias: "writer", forwardTo: "owner@inbox.example" });
    alias = await person.createSmtpCredential(id);
  });

  const secured = () => secureTalk(system.submissionPort);
  const signedIn = () => signedInTalk(system.submissionPort, alias);

  async function submit(talk: SmtpTalk, to: string, headerFrom: string): Promise<string> {
    await talk.ask(`MAIL FROM:<${alias.username}>`);
    const rcpt = await talk.ask(`RCPT TO:${to}`);
    if (!rcpt.startsWith("250")) return rcpt;
    await talk.ask("DATA");
    return talk.ask(`${headerFrom}\r\nSubject: hi\r\n\r\nhello\r\n.`);
  }

  test.each(senders)("accepts nothing from %s before signing in", async (_name, from) => {
    for (const talk of [await greetedTalk(system.submissionPort), await secured()]) {
      expect(await talk.ask(`MAIL FROM:${from}`)).toMatch(/^530 /);
      expect(await talk.ask(`RCPT TO:<${victim}>`)).toMatch(/^503 /);
      talk.close();
    }
    await expectNothingLeft();
  });

  test.each(senders)("rejects the envelope sender %s after signing in", async (_name, from) => {
    const talk = await signedIn();
    expect(await talk.ask(`MAIL FROM:${from}`)).toMatch(/^553 5\.7\.1 /);
    expect(await talk.ask(`RCPT TO:<${victim}>`)).toMatch(/^503 /);
    talk.close();
    await expectNothingLeft();
  });

  test.each([
    ["another alias", "From: shop@kauke.test"],
    ["a stranger", "From: boss@victim.example"],
    ["a stranger beside the alias", "From: writer@kauke.test, boss@victim.example"],
    ["a stranger in a second field", "From: writer@kauke.test\r\nFrom: boss@victim.example"],
    ["an alias only in its display name", 'From: "writer@kauke.test" <boss@victim.example>'],
    ["a group", "From: Team: writer@kauke.test, boss@victim.example;"],
    ["nobody", "X-From: writer@kauke.test"],
  ])("accepts no message whose From is %s", async (_name, headerFrom) => {
    const talk = await signedIn();
    expect(await submit(talk, `<${victim}>`, headerFrom)).toMatch(/^553 5\.7\.1 /);
    talk.close();
    await expectNothingLeft();
  });

  test.each(recipients.filter(([, path]) => path.includes("@kauke.test>") && !/[\0\r\n]/.test(path)))(
    "relays nothing to the outside through %s",
    async (_name, path) => {
      const talk = await signedIn();
      await submit(talk, path, "From: writer@kauke.test");
      talk.close();
      // A message queued for our own domain fails within this process, and is never sent to the fake host outside.
      await vi.waitFor(expectNothingLeft, { timeout: 15_000, interval: 50 });
    },
  );

  test("control: an ordinary submitted message is sent, its source route dropped", async () => {
    const talk = await signedIn();
    expect(await submit(talk, `<@kauke.test:${victim}>`, "From: writer@kauke.test")).toMatch(/^250 /);
    const [mail] = await outside.waitForMessages(1);
    expect(mail?.rcptTo).toEqual([victim]);
    outside.messages.length = 0;
    talk.close();
  });
});
