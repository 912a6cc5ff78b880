/**
 * Facts about an owner, planted wherever their programs and account leave such facts, and everything this server sends
 * to others: envelopes, messages, SMTP replies, webhook calls. No fact may be in any of it, in any of eight encodings.
 */
import { Canaries } from "@kauke/testkit/canary/canary-scan";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { type SmtpTalk, smtpTalk, smtpTalkTls } from "@kauke/testkit/smtp-talk";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const facts = new Canaries();
const home = `${facts.word("home-domain")}.example`;
const mailbox = `${facts.word("mailbox")}@${home}`;
const secondMailbox = `${facts.word("second-mailbox")}@${home}`;
const account = `${facts.word("account")}@${home}`;
const computer = `${facts.word("computer")}.${home}`;
const helo = facts.word("helo");
const publicAddress = "127.44.155.166";
const [lanV4, lanV6, otherV4] = ["10.177.188.199", "fd12:3456:789a::77ab", "203.0.113.177"];
const localTime = "Sat, 21 Nov 2026 15:45:17 +0545";
const client = facts.word("mail-client");
const boundary = facts.word("boundary");
const otherAlias = facts.word("other-alias");
const notes = facts.word("notes");
facts.watch("public address", publicAddress);
facts.watch("address at home, IPv4", lanV4);
facts.watch("address at home, IPv6", lanV6);
facts.watch("address a program told", otherV4);
facts.watch("time of day at home", "15:45:17");

const spf = { txt: ["v=spf1 ip4:127.0.0.0/8 -all"] };
const dns = createFakeDns({ "sender.example": spf, [home]: spf });
const ann = "ann@sender.example";
const isHome = (address: string | undefined) => address?.endsWith(home) ?? false;
/** Every SMTP reply that the server's MX and submission listeners sent during these tests. */
const replies: string[] = [];
const {
  mx,
  hook,
  system,
  person: owner,
} = await setUpForwarding({
  dns,
  email: account,
  env: { KAUKE_RETRY_SCHEDULE: "1s", KAUKE_UNDO_SECONDS: "1" },
  overrides: { store: { dkimDomains: ["kauke.test"] } },
});

beforeAll(async () => {
  facts.watch("user id", owner.user.id);
  facts.watch("account's password", owner.password);
  facts.watch("session", owner.cookie.slice(owner.cookie.indexOf("=") + 1));
  await owner.createAlias({ alias: otherAlias, forwardTo: mailbox, notes });
});

beforeEach(() => {
  mx.reset();
  hook.reset();
  replies.length = 0;
});

/** Everything sent since the test began, except to the owner's own mailboxes, which may show the facts. */
function outward(): [where: string, bytes: Buffer][] {
  const commands = mx.commands.filter((line) => !isHome(/^RCPT TO:<(.*)>/i.exec(line)?.[1]));
  const calls = hook.requests.map(
    ({ path, headers, body }) => `${path}\n${JSON.stringify(headers)}\n${body.toString()}`,
  );
  return [
    ...arrivedOutside().map((mail): [string, Buffer] => [`mail to ${mail.rcptTo.join()}`, mail.bytes]),
    ["commands", Buffer.from(commands.join("\n"))],
    ["replies", Buffer.from(replies.join("\n"))],
    ...calls.map((call): [string, Buffer] => ["webhook call", Buffer.from(call)]),
  ];
}

const arrivedOutside = () => mx.messages.filter(({ rcptTo }) => !isHome(rcptTo[0]));
const arrivedHome = () => mx.messages.filter(({ rcptTo }) => isHome(rcptTo[0]));
const leaks = () =>
  outward().flatMap(([where, bytes]) => facts.find(bytes, where).map((it) => `${it.label}: ${where}`));
const outside = (count: number) =>
  vi.waitFor(() => expect(arrivedOutside().length).toBeGreaterThanOrEqual(count), { timeout: 15_000, interval: 20 });
const inside = (count: number) =>
  vi.waitFor(() => expect(arrivedHome().length).toBeGreaterThanOrEqual(count), { timeout: 15_000, interval: 20 });

async function send(mail: Omit<Parameters<typeof sendMail>[0], "port">): Promise<string> {
  const sent = await sendMail({ port: system.mxPort, ...mail });
  replies.push(...sent.replies);
  return sent.last;
}

const fromAnn = (to: string, more: string[] = []) =>
  [`From: Ann <${ann}>`, `To: ${to}`, "Cc: Bo <bo@other.example>", "Subject: plans", "Message-ID: <1@sender.example>"]
    .concat(more, "", "hello", "")
    .join("\r\n");

async function newAlias(forwardTo = mailbox): Promise<{ id: string; address: string }> {
  const { id, alias } = await owner.createAlias({ forwardTo, notes });
  return { id, address: `${alias}@kauke.test` };
}

/** Header of a mail program, and of the servers behind it, that state as much as possible about their user. */
const chattyHeader = (from: string, to: string, more: string[] = []) => [
  `Received: from ${computer} (${helo} [${lanV4}]) by smtp.${home} with ESMTPSA; ${localTime}`,
  `Received: from [IPv6:${lanV6}] (${publicAddress}) by ${computer}; ${localTime}`,
  `DKIM-Signature: v=1; a=rsa-sha256; d=${home}; s=${facts.word("selector")}; h=from; bh=AAAA; b=BBBB`,
  `Return-Path: <${mailbox}>`,
  `Authentication-Results: smtp.${home}; auth=pass smtp.auth=${mailbox}`,
  `From: "${facts.word("display-name")}" <${from}>`,
  `Sender: ${facts.word("sender")}@${home}`,
  `Reply-To: ${facts.word("reply-to")}@${home}`,
  `To: ${to}`,
  `Date: ${localTime} (${facts.word("zone-name")})`,
  `Message-ID: <${facts.word("id-left")}@${computer}>`,
  `In-Reply-To: <${facts.word("parent")}@${computer}>`,
  `References: <${facts.word("ancestor")}@${computer}>`,
  `Organization: ${facts.word("organization")}`,
  `User-Agent: ${client}/115.7`,
  `X-Mailer: ${client} (16.0)`,
  `X-Originating-IP: [${otherV4}]`,
  `X-Sender: ${facts.word("x-header")}`,
  `Disposition-Notification-To: ${mailbox}`,
  `Autocrypt: addr=${mailbox}; keydata=AAAA`,
  `Thread-Index: ${facts.word("thread-index")}`,
  `Face: ${facts.word("face")}`,
  `List-Unsubscribe: <mailto:${secondMailbox}>`,
  `Auto-Submitted: auto-replied; owner-email="${mailbox}"`,
  "Subject: Re: plans",
  `MIME-Version: 1.0 (${client} 16.0)`,
  ...more,
];

/**
 * A multipart message that states facts about its writer as mail programs do: in boundaries, Content-ID and X- fields.
 */
function chattyMessage(from: string, to: string): string {
  const id = `${facts.word("content-id")}@${computer}`;
  const inner = `${boundary}-inner`;
  return [
    ...chattyHeader(from, to, [`Content-Type: multipart/mixed; boundary="${boundary}"`, `Content-ID: <${id}>`]),
    "",
    `made by ${client}`,
    `--${boundary}`,
    `Content-Type: multipart/related; boundary=${inner}; type="text/html"`,
    `X-Part: ${facts.word("part-header")}`,
    "",
    `--${inner}`,
    "Content-Type: text/html; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
    `Content-Location: file:///home/${facts.word("path")}/letter.html`,
    "",
    `<p>my answer</p><img src=3D"cid:${id.slice(0, 20)}=`,
    `${id.slice(20)}">`,
    `--${inner}`,
    "Content-Type: image/png",
    "Content-Transfer-Encoding: base64",
    `Content-Disposition: inline; modification-date="${localTime}"; size=8`,
    `Content-ID: <${id}>`,
    `X-Attachment-Id: ${facts.word("attachment-id")}`,
    "",
    "iVBORw0KGgo=",
    `--${inner}--`,
    `--${boundary}`,
    "Content-Type: text/plain",
    `Received: by ${computer}`,
    "",
    "the end",
    `--${boundary}--`,
    `sent with ${client}`,
    "",
  ].join("\r\n");
}

const replyOf = (bytes: Buffer | undefined, name: string) =>
  new RegExp(`^${name}:(?:.*\\r\\n[ \\t])*?.*?(r(?:-[a-z2-7]{5}){4}@kauke\\.test)`, "im").exec(
    String(bytes),
  )?.[1] as string;

/** Receives a message from Ann. @returns the reply addresses that stand for her and for Bo, and the bounce address */
async function received(to: string) {
  await send({ from: ann, to, message: fromAnn(to) });
  await inside(1);
  const [mail] = arrivedHome();
  return { ann: replyOf(mail?.bytes, "From"), bo: replyOf(mail?.bytes, "Cc"), bounce: mail?.envelopeFrom as string };
}

const fromHome = { from: mailbox, helo, localAddress: publicAddress };
const expectNoLeak = () => expect(leaks()).toEqual([]);

test("control: more than twenty facts are searched for, and one that is sent out is found", async () => {
  chattyMessage(mailbox, ann);
  expect(facts.labels.length).toBeGreaterThan(30);
  const { address } = await newAlias();
  const to = await received(address);
  const said = facts.word("said-aloud");
  const body = Buffer.from(`it is ${said}`).toString("base64");
  const header = [`From: <${mailbox}>`, `To: ${to.ann}`, `Subject: ${said}`, "MIME-Version: 1.0"];
  const message = [...header, "Content-Transfer-Encoding: base64", "", body, ""].join("\r\n");
  expect(await send({ ...fromHome, to: to.ann, message })).toMatch(/^250 /);
  await outside(1);
  expect(
    facts
      .find(arrivedOutside()[0]?.bytes as Buffer, "mail")
      .map((it) => it.encoding)
      .sort(),
  ).toEqual(["base64 at 0", "utf-8"]);
  expect(leaks()).toEqual(["said-aloud: mail to ann@sender.example", "said-aloud: mail to ann@sender.example"]);
});

describe("what a correspondent gets", () => {
  test("of a forwarded message: SMTP replies only, and a webhook's owner the message only", async () => {
    const { address } = await newAlias(`${mailbox}, ${secondMailbox}, ${hook.url}`);
    expect(await send({ from: ann, to: address, message: fromAnn(address) })).toMatch(/^250 /);
    await inside(2);
    await hook.waitForRequests(1);
    expectNoLeak();
  });

  test("of a forwarded message whose mailbox refuses it by name: our words", async () => {
    const { address } = await newAlias();
    const answer = `550 5.1.1 <${mailbox}> unknown at ${computer} [${lanV4}]`;
    mx.options = { answer: ({ stage }) => (stage === "rcpt" ? answer : undefined) };
    expect(await send({ from: ann, to: address, message: fromAnn(address) })).toMatch(/^550 /);
    mx.options = { answer: ({ stage }) => (stage === "body" ? answer : undefined) };
    expect(await send({ from: ann, to: address, message: fromAnn(address) })).toMatch(/^550 /);
    expectNoLeak();
  });

  test("of a forwarded message that fails later: a report that names the alias", async () => {
    const { address } = await newAlias();
    const answer = `451 4.2.2 <${mailbox}> over quota at ${computer}`;
    mx.options = { answer: ({ stage, line }) => (stage === "rcpt" && line.includes(home) ? answer : undefined) };
    expect(await send({ from: ann, to: address, message: fromAnn(address) })).toMatch(/^250 /);
    await outside(1);
    expect(String(arrivedOutside()[0]?.bytes)).toContain(`Final-Recipient: rfc822; ${address}`);
    expectNoLeak();
  });

  test("of a bounce of forwarded mail: a report that names the alias", async () => {
    const { address } = await newAlias();
    const { bounce } = await received(address);
    const message = [
      `From: MAILER-DAEMON@${computer}`,
      `To: ${bounce}`,
      "Subject: Undelivered Mail Returned to Sender",
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
      "",
      "--b",
      "",
      `<${mailbox}>: ${facts.word("reason")} at ${lanV4}`,
      "--b",
      "Content-Type: message/delivery-status",
      "",
      `Reporting-MTA: dns; ${computer}`,
      "",
      `Final-Recipient: rfc822; ${mailbox}`,
      `Diagnostic-Code: smtp; 550 ${mailbox}`,
      "Status: 5.1.1",
      "--b",
      "Content-Type: message/rfc822",
      "",
      String(arrivedHome()[0]?.bytes),
      "--b--",
      "",
    ].join("\r\n");
    expect(await send({ ...fromHome, from: "", to: bounce, message })).toMatch(/^250 /);
    await outside(1);
    expect(String(arrivedOutside()[0]?.bytes)).toContain("Status: 5.1.1");
    expectNoLeak();
  });

  test.each([
    ["an answer", (from: string, to: string) => [...chattyHeader(from, to), "", "my answer", ""].join("\r\n")],
    ["an answer of many parts", chattyMessage],
  ])("of %s: what was written, from the alias", async (_, write) => {
    const { address } = await newAlias(`${mailbox}, ${secondMailbox}`);
    const to = await received(address);
    expect(await send({ ...fromHome, to: to.ann, message: write(mailbox, to.ann) })).toMatch(/^250 /);
    const both = [to.ann, to.bo, address];
    expect(await send({ ...fromHome, to: both, message: write(mailbox, both.join(", ")) })).toMatch(/^250 /);
    await outside(3);
    for (const mail of arrivedOutside()) {
      // The header of the answer says that a program wrote it, so it is sent with the null sender.
      expect(mail.envelopeFrom).toBe("");
      expect(String(mail.bytes)).toMatch(new RegExp(`^From: ${address}\r$`, "m"));
      expect(String(mail.bytes)).toMatch(/my answer|bXkgYW5zd2Vy/);
      expect(String(mail.bytes)).not.toMatch(/\d\d:\d\d(?::\d\d)? [+-](?!0000)\d{4}\b/);
    }
    expectNoLeak();
  });

  describe("of submitted mail", () => {
    let alias: { address: string };
    let login: string;

    beforeAll(async () => {
      const made = await newAlias(`${mailbox}, ${secondMailbox}`);
      const { password } = await owner.createSmtpCredential(made.id);
      facts.watch("SMTP password", password);
      alias = made;
      login = Buffer.from(`\0${made.address}\0${password}`).toString("base64");
    });

    async function withStartTls(): Promise<SmtpTalk> {
      const talk = await smtpTalk(system.submissionPort, "127.0.0.1", publicAddress);
      replies.push(talk.greeting, await talk.ask(`EHLO ${helo}`), await talk.ask("STARTTLS"));
      await talk.startTls();
      return talk;
    }

    async function withTls(): Promise<SmtpTalk> {
      const talk = await smtpTalkTls(system.submissionsPort, "127.0.0.1", publicAddress);
      replies.push(talk.greeting);
      return talk;
    }

    test.each([
      ["STARTTLS", withStartTls],
      ["TLS", withTls],
    ])("over %s: what was written, from the alias", async (_, connect) => {
      const talk = await connect();
      const lines = [
        `EHLO ${helo}`,
        `AUTH PLAIN ${login}`,
        `MAIL FROM:<${alias.address}>`,
        `RCPT TO:<${ann}>`,
        "DATA",
        `${chattyMessage(alias.address, ann)}.`,
        `VRFY ${alias.address}`,
        "QUIT",
      ];
      for (const line of lines) replies.push(await talk.ask(line));
      talk.close();
      expect(replies.some((it) => it.startsWith("235 "))).toBe(true);
      await outside(1);
      expectNoLeak();
    });

    test("by somebody else: nothing but refusals", async () => {
      const talk = await withStartTls();
      const wrong = Buffer.from(`\0${alias.address}\0wrong`).toString("base64");
      const lines = [
        "EHLO x",
        `AUTH PLAIN ${wrong}`,
        "AUTH PLAIN",
        "*",
        "AUTH LOGIN",
        "x",
        `MAIL FROM:<${alias.address}>`,
      ];
      for (const line of [...lines, "HELP", "EXPN all", "NOOP", "RSET"]) replies.push(await talk.ask(line));
      talk.close();
      expect(replies.some((it) => it.startsWith("535 "))).toBe(true);
      expectNoLeak();
    });
  });

  test("of composed mail: what was written, from the alias", async () => {
    const { id } = await newAlias();
    await owner.createSmtpCredential(id);
    const draft = { to: ann, subject: "hi", body: "my answer", priority: 0, useEncryption: false, fromAliasId: id };
    const headers = {
      cookie: owner.cookie,
      "content-type": "application/json",
      "user-agent": client,
      "accept-language": facts.word("language"),
      "x-forwarded-for": `${publicAddress}, ${lanV4}`,
      forwarded: `for="[${lanV6}]"`,
    };
    const body = JSON.stringify(draft);
    const answer = await fetch(`${system.url}/api/email-jobs`, { method: "POST", headers, body });
    expect(answer.status).toBe(201);
    await outside(1);
    expect(String(arrivedOutside()[0]?.bytes)).toContain("my answer");
    expectNoLeak();
  });

  test("of every question to the MX: refusals that reveal nothing", async () => {
    const { id, address } = await newAlias();
    const to = await received(address);
    await owner.call("PATCH", `/api/aliases/${id}/toggle`, { active: false });
    const talk = await smtpTalk(system.mxPort);
    const recipients = [
      address,
      to.ann,
      to.bounce,
      "postmaster@kauke.test",
      "nobody@kauke.test",
      `${address}.test`,
      ann,
    ];
    const lines = ["EHLO x", "HELP", `VRFY ${address}`, `EXPN ${address}`, "AUTH PLAIN AAAA", `MAIL FROM:<${ann}>`];
    const all = [...lines, ...recipients.map((it) => `RCPT TO:<${it}>`), "RSET", "NOOP", "ETRN x", "TURN", "QUIT"];
    for (const line of all) replies.push(await talk.ask(line));
    talk.close();
    expect(replies.length).toBeGreaterThan(all.length);
    expectNoLeak();
  });
});
