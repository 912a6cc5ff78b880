/**
 * Submission by any mail program with an alias' own credentials: 587 with STARTTLS, 465 with TLS; as the alias and
 * nobody else.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { registerPerson } from "@kauke/testkit/person";
import { authPlain, type SmtpTalk, secureTalk, signedInTalk, smtpTalk } from "@kauke/testkit/smtp-talk";
import { relayTo, startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const run = promisify(execFile);
const { mx, system, person } = await setUpForwarding({
  env: { KAUKE_LIMITS: "submission=1000/86400,smtp_login_ip=8/600" },
});
let alias: { id: string; address: string; password: string; credentialId: string };

beforeAll(async () => {
  alias = await newAlias();
});

beforeEach(() => mx.reset());

async function newAlias() {
  const made = await person.createAlias({ forwardTo: "jonas.real@inbox.example" });
  const { id, username, password } = await person.createSmtpCredential(made.id);
  return { id: made.id, address: username, password, credentialId: id };
}

const plain = (username: string, password: string) => authPlain({ username, password });
const helo = "laptop.home.example";
const secure = () => secureTalk(system.submissionPort, { helo });
const signedIn = () =>
  signedInTalk(system.submissionPort, { username: alias.address, password: alias.password }, { helo });

async function submit(talk: SmtpTalk, message: string, { from = alias.address, to = "ann@outside.example" } = {}) {
  const answers = [await talk.ask(`MAIL FROM:<${from}>`), await talk.ask(`RCPT TO:<${to}>`)];
  if (answers.some((it) => !it.startsWith("2"))) return answers.find((it) => !it.startsWith("2")) as string;
  await talk.ask("DATA");
  return talk.ask(`${message}\r\n.`);
}

const messageFrom = (from: string, more: string[] = []) =>
  [`From: Jonas Real <${from}>`, "To: Ann <ann@outside.example>", "Subject: hello", ...more, "", "the text"].join(
    "\r\n",
  );

test("no sign-in is offered before TLS, and every transaction requires a sign-in", async () => {
  const talk = await smtpTalk(system.submissionPort);
  expect(await talk.ask("EHLO x.example")).not.toContain("AUTH");
  expect(await talk.ask(plain(alias.address, alias.password))).toMatch(/^538 5\.7\.11 /);
  expect(await talk.ask(`MAIL FROM:<${alias.address}>`)).toMatch(/^530 5\.7\.0 /);
  talk.close();
});

test("a submitted message is sent as the alias without a trace of who wrote it", async () => {
  const talk = await signedIn();
  const traces = [
    "Date: Sat, 21 Nov 2026 12:00:00 +0200",
    "Message-ID: <abc@laptop.home.example>",
    "User-Agent: Thunderbird",
    "X-Originating-IP: 203.0.113.7",
    "Reply-To: private@home.example",
    "Sender: jonas@home.example",
  ];
  expect(await submit(talk, messageFrom(alias.address, traces))).toBe("250 2.0.0 Queued");
  const [mail] = await mx.waitForMessages(1);
  expect(mail?.envelopeFrom).toBe(alias.address);
  const text = String(mail?.bytes);
  expect(text).toMatch(new RegExp(`^From: ${alias.address.replaceAll(".", "\\.")}\r$`, "m"));
  expect(text).toContain("To: Ann <ann@outside.example>");
  expect(text).toContain("Date: Sat, 21 Nov 2026 10:00:00 +0000");
  for (const trace of [
    "Jonas",
    "laptop",
    "home.example",
    "Thunderbird",
    "203.0.113.7",
    "private",
    "Received",
    "+0200",
  ]) {
    expect(text).not.toContain(trace);
  }
  talk.close();
});

test("nobody sends as anybody else, neither in the envelope nor in From", async () => {
  const other = await newAlias();
  const talk = await signedIn();
  expect(await submit(talk, messageFrom(alias.address), { from: other.address })).toMatch(/^553 5\.7\.1 /);
  expect(await submit(talk, messageFrom(other.address))).toMatch(/^553 5\.7\.1 /);
  await talk.ask("RSET");
  expect(await submit(talk, messageFrom(`${alias.address}>, <ceo@bank.example`))).toMatch(/^553 5\.7\.1 /);
  expect(mx.messages).toEqual([]);
  talk.close();
});

test("a message that contains the real address is refused", async () => {
  const talk = await signedIn();
  const message = `${messageFrom(alias.address)}\r\nwrite to jonas.real@inbox.example`;
  expect(await submit(talk, message)).toMatch(/^550 5\.7\.1 Your message holds the address/);
  talk.close();
});

test("quoted lines name the alias if the account chose so, and nothing else is changed", async () => {
  const talk = await signedIn();
  const quoted = (address: string) => `On 23 Nov 2026, at 09:58, Jonas <${address}> wrote:\r\n> hello`;
  const submitted = (text: string) => submit(talk, `${messageFrom(alias.address)}\r\n${text}`);
  expect(await submitted(quoted("jonas.real@inbox.example"))).toMatch(/^550 .*switch on 'Alias in quoted lines'/);
  await person.call("PATCH", "/api/account/settings", { aliasInQuotes: true });
  try {
    expect(await submitted(quoted("jonas.real@inbox.example"))).toMatch(/^250 /);
    const [mail] = await mx.waitForMessages(1);
    expect(String(mail?.bytes)).toContain(quoted(alias.address));
    expect(await submitted("I am jonas.real@inbox.example")).toMatch(
      /^550 .*text, line 2\)\. Take it out, or switch the leak guard off in Settings$/,
    );
  } finally {
    await person.call("PATCH", "/api/account/settings", { aliasInQuotes: false });
  }
});

test("a regenerated or deleted password, or a pause, ends signed-in sessions at once", async () => {
  const mine = await newAlias();
  const talk = await secure();
  await talk.ask(plain(mine.address, mine.password));
  await person.call("PATCH", `/api/smtp-credentials/${mine.credentialId}/alias/${mine.id}/regenerate`);
  expect(await talk.ask(`MAIL FROM:<${mine.address}>`)).toMatch(/^421 4\.7\.0 /);
  const again = await secure();
  expect(await again.ask(plain(mine.address, mine.password))).toMatch(/^535 5\.7\.8 /);
  again.close();
});

test("wrong passwords are refused alike for known and unknown names, and rate-limited", async () => {
  const talk = await secure();
  expect(await talk.ask(plain(alias.address, "wrong"))).toBe("535 5.7.8 User name or password is wrong");
  expect(await talk.ask(plain("nobody@kauke.test", "wrong"))).toBe("535 5.7.8 User name or password is wrong");
  let last = "";
  for (let i = 0; i < 10 && !last.startsWith("451"); i++) last = await talk.ask(plain("nobody@kauke.test", "x"));
  expect(last).toMatch(/^451 4\.7\.1 /);
  talk.close();
});

describe("real clients", () => {
  const folder = mkdtempSync(join(tmpdir(), "kauke-clients-"));
  let fresh: TestSystem;
  let user: { address: string; password: string };

  beforeAll(async () => {
    fresh = await startSystem({ env: relayTo(mx) });
    const owner = await registerPerson(fresh.url);
    const made = await owner.createAlias({ forwardTo: "jonas.real@inbox.example" });
    const { username, password } = await owner.createSmtpCredential(made.id);
    user = { address: username, password };
  });

  afterAll(async () => {
    await fresh.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function arrived(subject: string): Promise<void> {
    const [mail] = await mx.waitForMessages(1);
    expect(mail?.envelopeFrom).toBe(user.address);
    expect(String(mail?.bytes)).toContain(`Subject: ${subject}`);
  }

  const found = (path: string) => {
    if (!existsSync(path)) console.log(`${path} is not installed: not tested with it.`);
    return existsSync(path);
  };

  test.runIf(found("/usr/bin/swaks")).each(["--tls", "--tls-on-connect"])("swaks %s sends", async (mode) => {
    const port = mode === "--tls" ? fresh.submissionPort : fresh.submissionsPort;
    const args = ["--server", `127.0.0.1:${port}`, mode, "--auth", "LOGIN", "--auth-user", user.address];
    const rest = ["--auth-password", user.password, "--from", user.address, "--to", "ann@outside.example"];
    await run("/usr/bin/swaks", [...args, ...rest, "--header", "Subject: by swaks"]);
    await arrived("by swaks");
  });

  test.runIf(found("/usr/bin/msmtp")).each([true, false])("msmtp sends (STARTTLS: %s)", async (startTls) => {
    const port = startTls ? fresh.submissionPort : fresh.submissionsPort;
    const settings = ["account a", "host 127.0.0.1", `port ${port}`, "auth plain", `user ${user.address}`];
    const tls = [
      `password ${user.password}`,
      `from ${user.address}`,
      "tls on",
      `tls_starttls ${startTls ? "on" : "off"}`,
      "tls_certcheck off",
      "account default : a",
    ];
    const file = join(folder, "msmtprc");
    writeFileSync(file, `${[...settings, ...tls].join("\n")}\n`, { mode: 0o600 });
    const child = run("/usr/bin/msmtp", ["-C", file, "ann@outside.example"]);
    child.child.stdin?.end(`From: ${user.address}\nTo: ann@outside.example\nSubject: by msmtp\n\nhello\n`);
    await child;
    await arrived("by msmtp");
  });

  test.runIf(found("/usr/bin/python3")).each(["starttls", "ssl"])("Python's smtplib sends (%s)", async (mode) => {
    const port = mode === "starttls" ? fresh.submissionPort : fresh.submissionsPort;
    const script = `
import smtplib, ssl, sys
from email.message import EmailMessage
mode, port, user, password = sys.argv[1:]
context = ssl.create_default_context(); context.check_hostname = False; context.verify_mode = ssl.CERT_NONE
client = smtplib.SMTP_SSL("127.0.0.1", int(port), context=context) if mode == "ssl" else smtplib.SMTP("127.0.0.1", int(port))
if mode != "ssl": client.starttls(context=context)
client.login(user, password)
message = EmailMessage(); message["From"] = user; message["To"] = "ann@outside.example"; message["Subject"] = "by smtplib"
message.set_content("žinutė"); client.send_message(message); client.quit()
`;
    await run("/usr/bin/python3", ["-c", script, mode, String(port), user.address, user.password]);
    await arrived("by smtplib");
  });
});
