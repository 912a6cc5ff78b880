/**
 * Messages and commands with NUL wherever a stranger writes what becomes a name, a character set, an address or a header
 * of something written in C: each is taken or refused for good, and what is sent on has no NUL in the author
 * or in the results.
 */
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { smtpTalk } from "@kauke/testkit/smtp-talk";
import { expect, test } from "vitest";

const dns = createFakeDns({
  "evil.example": { txt: ["v=spf1 +all exists:%{l}.%{h}.evil.example -all"] },
  "_dmarc.evil.example": { txt: ["v=DMARC1; p=none"] },
  "_dmarc.bank.example": { txt: ["v=DMARC1; p=reject"] },
});
const { mx, hook, system, person } = await setUpForwarding({ dns });

const message = (change: (text: string) => string) =>
  change(
    [
      "From: Ann <ann@evil.example>",
      "To: =?utf-8?q?Bob?= <bob@b.example>",
      "Subject: =?utf-8?q?hi?=",
      "Message-ID: <1@evil.example>",
      "Reply-To: ann@evil.example",
      "List-Unsubscribe: <https://evil.example/>",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: text/plain; charset=utf-8; name=a.txt",
      "Content-Disposition: attachment; filename=a.txt",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "text",
      "--b--",
      "",
    ].join("\r\n"),
  );

test.each<[string, (text: string) => string]>([
  ["a character set of an encoded word", (text) => text.replaceAll("=?utf-8?", "=?utf-8\0x?")],
  ["an encoded word", (text) => text.replace("?q?hi?", "?q?h=00i?")],
  ["a character set of a part", (text) => text.replace("charset=utf-8", "charset=utf-8\0x")],
  ["a file name", (text) => text.replaceAll("a.txt", "a.txt\0.exe")],
  ["a transfer encoding", (text) => text.replace("quoted-printable", "quoted-printable\0")],
  ["a boundary", (text) => text.replaceAll("boundary=b", "boundary=b\0")],
  ["a display name", (text) => text.replace("Ann", "A\0n")],
  ["a local part", (text) => text.replaceAll("ann@", "a\0n@")],
  ["a domain", (text) => text.replaceAll("@evil.example", "@bank.example\0.evil.example")],
  ["a domain before its top", (text) => text.replaceAll("@evil.example", "@evil.example\0.bank.example")],
  ["a Message-ID", (text) => text.replace("<1@", "<1\0@")],
  ["a field name", (text) => text.replace("Reply-To", "Reply\0-To")],
  ["a web address", (text) => text.replace("https://evil.example/", "https://evil.example\0/")],
  ["a body", (text) => text.replace("text\r\n--b--", "te\0xt\r\n--b--")],
])("%s with NUL is taken or refused for good", async (_, change) => {
  const alias = await person.createAlias({ forwardTo: `jonas@inbox.example,${hook.url}` });
  mx.reset();
  const before = hook.requests.length;
  const { last } = await sendMail({
    port: system.mxPort,
    from: "ann@evil.example",
    to: `${alias.alias}@${alias.domain}`,
    message: Buffer.from(message(change), "latin1"),
  });
  expect(last).toMatch(/^(?:2|5)\d\d /);
  if (!last.startsWith("2")) return;
  const header = String((await mx.waitForMessages(1))[0]?.bytes).split("\r\n\r\n", 1)[0];
  expect(header).not.toMatch(/^(?:From|Authentication-Results):.*\0/m);
  expect(header).not.toMatch(/header\.from=bank\.example(?![.\w])/);
  expect(hook.requests.length).toBe(before + 1);
});

test.each([
  "EHLO client.example\0.b.example",
  "MAIL FROM:<ann\0@evil.example>",
  "MAIL FROM:<ann@evil.example\0.bank.example>",
  'MAIL FROM:<"a\0"@evil.example>',
  "MAIL FROM:<ann@evil.example> ENVID=a\0b",
  "RCPT TO:<postmaster\0@kauke.test>",
  "VRFY a\0",
])("the command %j is refused", async (line) => {
  const talk = await smtpTalk(system.mxPort, "127.0.0.1");
  await talk.ask("EHLO client.example");
  if (line.startsWith("RCPT")) await talk.ask("MAIL FROM:<ann@evil.example>");
  expect(await talk.ask(line)).toMatch(/^5\d\d /);
  talk.close();
});
