/**
 * Plants canaries wherever a person, a mail host or an attacker can put words: accounts, aliases, mail that is
 * delivered, queued, refused or looping, failed sign-ins, and every field of every API call, valid and invalid.
 */
import { type FakeDnsZone, startFakeDnsServer } from "../fakes/fake-dns.ts";
import { FakeIssuer } from "../fakes/fake-issuer.ts";
import { FakeMx } from "../fakes/fake-mx.ts";
import { FakeWebhook } from "../fakes/fake-webhook.ts";
import { sendMail } from "../send-mail.ts";
import { authPlain, secureTalk, smtpTalk } from "../smtp-talk.ts";
import { plantAddyCalls } from "./canary-addy.ts";
import { plantApiKeys } from "./canary-api-keys.ts";
import { plantAttachments } from "./canary-attachments.ts";
import { plantInEveryField } from "./canary-calls.ts";
import { plantChecklist } from "./canary-checklist.ts";
import { type CanaryAccount, CanaryClient, canaryAddress } from "./canary-client.ts";
import { plantDomains } from "./canary-domains.ts";
import { plantFederated } from "./canary-federated.ts";
import { plantImports } from "./canary-imports.ts";
import { plantInvitation } from "./canary-invitation.ts";
import { plantKeys } from "./canary-keys.ts";
import { plantMailPrograms } from "./canary-mail-programs.ts";
import { plantMailboxes } from "./canary-mailboxes.ts";
import { plantProbe } from "./canary-probe.ts";
import type { Canaries } from "./canary-scan.ts";
import { plantSimpleLogin } from "./canary-simplelogin.ts";
import { plantWallets } from "./canary-wallet.ts";
import { plantWaysIn } from "./canary-ways-in.ts";

/**
 * Starts the outside world: a relay that accepts, defers or refuses by words in the recipient, quoting canaries in its
 * replies, and a webhook.
 */
export async function canaryWorld(canaries: Canaries) {
  const mx = await FakeMx.start({
    extensions: ["PIPELINING", "8BITMIME", "SMTPUTF8", "SIZE 52428800", "AUTH PLAIN LOGIN"],
    answer: ({ stage, line }) => {
      if (stage !== "rcpt") return undefined;
      if (line.includes("-down@")) return `451 4.3.2 ${canaries.word("peer-text-4xx")} is busy`;
      if (line.includes("-gone@")) return `550 5.1.1 ${canaries.word("peer-text-5xx")} is unknown`;
      return undefined;
    },
  });
  const hook = await FakeWebhook.start();
  const issuer = await FakeIssuer.start();
  const dns = await startFakeDnsServer();
  const login = `${canaries.word("relay-user")}:${canaries.word("relay-password")}`;
  return {
    mx,
    hook,
    issuer,
    zone: dns.zone,
    env: {
      ...issuer.env,
      KAUKE_RELAY_URL: `smtp://${login}@127.0.0.1:${mx.port}`,
      KAUKE_DNS_SERVERS: dns.address,
      KAUKE_AUTHENTICATION: "on",
      KAUKE_RETRY_SCHEDULE: "1s,1h",
      KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
    },
    async close() {
      await mx.close();
      await hook.close();
      await issuer.close();
      await dns.close();
    },
  };
}

export interface PlantTarget {
  dataDir: string;
  httpPort: number;
  mxPort: number;
  submissionPort: number;
  issuer: FakeIssuer;
  /** The relay that the server sends through. */
  mx: FakeMx;
  /** What the server's DNS answers. */
  zone: FakeDnsZone;
  /** Port of the webhook in the URLs of destinations. */
  hookPort: number;
}

export interface Planted {
  /** SMTP replies to the planted messages, by the intended outcome of each. */
  mail: Record<
    "through" | "down" | "gone" | "partly" | "paused" | "postmaster" | "loop" | "unknown" | "foreign",
    string
  >;
  /** SMTP reply to the message that a mail program submits as an alias. */
  submitted: string;
  /** SMTP reply to the message for an alias on an own domain. */
  onOwnDomain: string;
  /** Statuses of three sign-ins by wallet: the first, its repetition, and a forged one. */
  wallets: number[];
  /** Texts of the notices to the owner. */
  notices: string[];
  /** Number of responses by status, over all calls with a canary in every field. */
  statuses: Map<number, number>;
}

export async function plantCanaries(canaries: Canaries, target: PlantTarget): Promise<Planted> {
  const word = (label: string) => canaries.word(label);
  const client = new CanaryClient(canaries, target.httpPort);
  const email = `${word("account")}@${word("account-domain")}.example`;
  const owner = await client.register(email, word("password"));
  await plantWaysIn(canaries, owner.call);
  await plantInvitation(canaries, client, target.dataDir);
  await plantProbe(canaries, target);
  const aliases = await plantAliases(canaries, { owner, hookPort: target.hookPort });
  await plantChecklist(canaries, { owner, aliasId: aliases.id });
  const onOwnDomain = await plantDomains(canaries, { owner, email, ...target });
  const submitted = await plantOutgoing(canaries, { client, owner, aliases, port: target.submissionPort });
  await plantKeys(canaries, owner, aliases.id);
  await plantImports(canaries, { client, owner });
  await plantApiKeys(canaries, client, owner);
  await plantSimpleLogin(canaries, client, owner);
  await plantMailboxes(canaries, client);
  await plantAddyCalls(canaries, client, { owner, aliasId: aliases.id });
  await plantFederated(canaries, { origin: `http://127.0.0.1:${target.httpPort}`, issuer: target.issuer });
  const mail = await plantMail(canaries, { port: target.mxPort, aliases });
  await plantFailedLogins(canaries, { client, email });
  const wallets = await plantWallets(canaries, (body, cookie) =>
    client.send({ method: "POST", path: "/api/auth/wallet", body, headers: cookie === null ? {} : { cookie } }),
  );
  const notices = await untilNotices(owner);
  const statuses = await plantInEveryField(canaries, client);
  return { mail, submitted, onOwnDomain, wallets, notices, statuses };
}

/** Addresses of the aliases by intended outcome of their mail, and the id of the first alias. */
type Aliases = Record<"id" | "through" | "down" | "gone" | "partly" | "paused", string>;

async function plantAliases(
  canaries: Canaries,
  { owner, hookPort }: { owner: CanaryAccount; hookPort: number },
): Promise<Aliases> {
  const word = (label: string) => canaries.word(label);
  const box = (label: string, end = "") => `${word(label)}${end}@${word(`${label}-domain`)}.example`;
  const hookUrl = `http://127.0.0.1:${hookPort}/${word("hook-path")}?key=${word("hook-query")}`;
  const make = async (label: string, forwardTo: string) => {
    const body = { alias: word(label), domain: "kauke.test", forwardTo, notes: `${word(`${label}-notes`)} ąčę` };
    return owner.call<{ id: string; alias: string }>("POST", `/api/aliases/${owner.id}`, body);
  };
  const through = await make("alias-through", `${box("mailbox")}, ${hookUrl}`);
  const down = await make("alias-down", box("mailbox-down", "-down"));
  const gone = await make("alias-gone", box("mailbox-gone", "-gone"));
  const partly = await make("alias-partly", `${box("mailbox-ok")}, ${box("mailbox-partly", "-gone")}`);
  const paused = await make("alias-paused", box("mailbox-paused"));
  await owner.call("PATCH", `/api/aliases/${paused.id}/toggle`, { active: false });
  const changed = await make("alias-before", box("mailbox-before"));
  const after = { alias: word("alias-after"), forwardTo: box("mailbox-after"), notes: word("notes-after") };
  await owner.call("PUT", `/api/aliases/${changed.id}`, after);
  await owner.call("PUT", `/api/aliases/${changed.id}`, { displayName: word("alias-display-name") });
  await plantLabels(canaries, owner, [through.id, changed.id]);
  const deleted = await make("alias-deleted", box("mailbox-deleted"));
  await owner.call("DELETE", `/api/aliases/${deleted.id}`);
  const address = ({ alias }: { alias: string }) => `${alias}@kauke.test`;
  return {
    id: through.id,
    through: address(through),
    down: address(down),
    gone: address(gone),
    partly: address(partly),
    paused: address(paused),
  };
}

/** Creates and renames a label, assigns it to aliases one by one and in bulk, and changes destinations in bulk. */
async function plantLabels(canaries: Canaries, owner: CanaryAccount, aliasIds: readonly string[]): Promise<void> {
  const name = canaries.word("label-before");
  const made = await owner.call<{ label: { id: string } }>("POST", "/api/labels", { name, colour: "teal" });
  await owner.call("PATCH", `/api/labels/${made.label.id}`, { name: canaries.word("label") });
  await owner.call("PUT", `/api/aliases/${aliasIds[0]}`, { labels: [made.label.id] });
  await owner.call("POST", "/api/aliases/bulk", { aliasIds, change: { addLabel: made.label.id } });
  const forwardTo = `${canaries.word("mailbox-bulk")}@${canaries.word("mailbox-bulk-domain")}.example`;
  await owner.call("POST", "/api/aliases/bulk", { aliasIds: aliasIds.slice(1), change: { forwardTo } });
}

/** Sends mail from the site and from a mail program, and watches the secrets that the server generates for it. */
async function plantOutgoing(
  canaries: Canaries,
  { client, owner, aliases, port }: { client: CanaryClient; owner: CanaryAccount; aliases: Aliases; port: number },
): Promise<string> {
  const word = (label: string) => canaries.word(label);
  const { secret } = await owner.call<{ secret: string }>("GET", `/api/aliases/${aliases.id}/webhook-secret`);
  canaries.watch("webhook-secret", secret.replace(/^whsec_/, ""));
  const made = await owner.call<{ credential: { password: string } }>("POST", "/api/smtp-credentials", {
    aliasId: aliases.id,
  });
  canaries.watch("smtp-password", made.credential.password);
  await plantMailPrograms(canaries, { client, owner, aliasId: aliases.id });
  const job = {
    to: `${word("job-to")}-down@people.example`,
    subject: word("job-subject"),
    body: `${word("job-body")} ąčę`,
  };
  await owner.call("POST", "/api/email-jobs", { ...job, fromAliasId: aliases.id });
  await plantAttachments(canaries, { client, owner, job: { ...job, fromAliasId: aliases.id } });
  const talk = await secureTalk(port, {
    helo: `${word("submission-helo")}.example`,
    localAddress: canaryAddress,
  });
  for (const password of [word("wrong-smtp-password"), made.credential.password])
    await talk.ask(authPlain({ username: aliases.through, password }));
  await talk.ask(`MAIL FROM:<${aliases.through}>`);
  await talk.ask(`RCPT TO:<${word("submission-to")}-down@people.example>`);
  await talk.ask("DATA");
  const fields = `From: <${aliases.through}>\r\nTo: <${word("submission-to")}-down@people.example>\r\n`;
  talk.send(`${fields}Subject: ${word("submission-subject")}\r\n\r\n${word("submission-body")}\r\n`);
  const answer = await talk.ask(".");
  talk.close();
  return answer;
}

/** Builds a message with a canary in each place that can hold one. */
function canaryMessage(canaries: Canaries): string {
  const word = (label: string) => canaries.word(label);
  const base64 = (text: string) => Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  const part = (header: string[], content: string) => `--frame\r\n${header.join("\r\n")}\r\n\r\n${content}\r\n`;
  const header = [
    `From: "${word("from-name")}" <${word("from")}@${word("from-domain")}.example>`,
    `To: ${word("to-name")} <${word("to")}@others.example>`,
    `Cc: ${word("cc")}@others.example`,
    `Reply-To: ${word("reply-to")}@others.example`,
    `Subject: ${word("subject")} =?utf-8?B?${base64(word("subject-encoded"))}?=`,
    `Message-ID: <${word("message-id")}@others.example>`,
    `In-Reply-To: <${word("in-reply-to")}@others.example>`,
    `X-Custom: ${word("custom-field")}`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="frame"',
  ];
  return [
    `${header.join("\r\n")}\r\n\r\n`,
    part(["Content-Type: text/plain; charset=utf-8"], `${word("body")} ąčę`),
    part(["Content-Type: text/html", "Content-Transfer-Encoding: base64"], base64(`<p>${word("html")}</p>`)),
    part(
      [
        `Content-Type: application/pdf; name="${word("file-name")}.pdf"`,
        `Content-Disposition: attachment; filename="${word("file-name")}.pdf"`,
        "Content-Transfer-Encoding: base64",
      ],
      base64(`%PDF ${word("attachment")}`.repeat(3000)),
    ),
    "--frame--\r\n",
  ].join("");
}

async function plantMail(
  canaries: Canaries,
  { port, aliases }: { port: number; aliases: Aliases },
): Promise<Planted["mail"]> {
  const word = (label: string) => canaries.word(label);
  const from = `${word("sender")}@${word("sender-domain")}.example`;
  const helo = `${word("helo")}.example`;
  const common = { port, from, helo, localAddress: canaryAddress };
  const message = canaryMessage(canaries);
  const send = async (to: string, change: { message?: string; from?: string } = {}) =>
    (await sendMail({ ...common, to, message, ...change })).last;
  const mail = {
    through: await send(aliases.through),
    down: await send(aliases.down),
    gone: await send(aliases.gone),
    partly: await send(aliases.partly),
    paused: await send(aliases.paused),
    postmaster: await send("postmaster@kauke.test"),
    loop: await send(aliases.through, { message: `Delivered-To: ${aliases.through}\r\n${message}` }),
    unknown: await send(`${word("unknown-alias")}@kauke.test`),
    foreign: await send(`${word("foreign")}@${word("foreign-domain")}.example`),
  };
  // Too long for SRS, so that the address is stored.
  const long = `${word("long-sender")}${"-".repeat(60)}@${word("long-sender-domain")}.example`;
  await send(aliases.down, { from: long });
  await plantWrongCommands(canaries, port);
  return mail;
}

async function plantWrongCommands(canaries: Canaries, port: number): Promise<void> {
  const talk = await smtpTalk(port, "127.0.0.1", canaryAddress);
  const commands = [
    `HELO ${canaries.word("helo-only")}.example`,
    canaries.word("no-command"),
    `MAIL FROM:<${canaries.word("mail-wrong")}`,
    `MAIL FROM:<${canaries.word("mail-params")}@example.org> ODD=${canaries.word("params")}`,
    `MAIL FROM:<${canaries.word("mail-right")}@example.org>`,
    `RCPT TO:<${canaries.word("rcpt-wrong")}@@kauke.test>`,
    `RCPT TO:<SRS0=abcd=AB=${canaries.word("srs-domain")}.example=${canaries.word("srs-local")}@kauke.test>`,
    `VRFY ${canaries.word("verify")}`,
    authPlain({ username: canaries.word("smtp-login"), password: canaries.word("smtp-login-password") }),
  ];
  for (const command of commands) await talk.ask(command);
  talk.send(`MAIL FROM:<${canaries.word("cut-off")}`);
  talk.close();
}

async function plantFailedLogins(
  canaries: Canaries,
  { client, email }: { client: CanaryClient; email: string },
): Promise<void> {
  const login = (body: unknown) => client.send({ method: "POST", path: "/api/auth/login", body });
  const unknown = `${canaries.word("unknown-account")}@people.example`;
  await login({ email: unknown, password: canaries.word("unknown-password") });
  for (let attempt = 0; attempt < 7; attempt++) await login({ email, password: canaries.word("wrong-password") });
  const taken = { email, password: canaries.word("taken-password") };
  await client.send({ method: "POST", path: "/api/auth/register", body: taken });
}

/**
 * Waits for the notices about failed deliveries: of the alias `partly`, whose second destination refuses, and of
 * `down`, deferred twice.
 */
async function untilNotices(owner: CanaryAccount): Promise<string[]> {
  const giveUpAt = Date.now() + 30_000;
  for (;;) {
    const { notices } = await owner.call<{ notices: { text: string }[] }>("GET", "/api/notices");
    if (notices.length > 0) return notices.map(({ text }) => text);
    if (Date.now() > giveUpAt) throw new Error("no notice came");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
