/** Routes of outgoing e-mails, with the provider's rules for the envelope and against sending one twice. */
import { randomUUID } from "node:crypto";
import { domainToUnicode } from "node:url";
import type { FakeRoute } from "./fake-forward-email-rules.ts";
import { isFilled, isMailbox, isText, listOf, oneOrMore, textOf } from "./fake-forward-email-rules.ts";
import type { FakeDomain, FakeEmail, FakeProviderStore, FakeRequest } from "./fake-forward-email-store.ts";
import { newId, pageOf, Refusal } from "./fake-forward-email-store.ts";

type Fields = Record<string, unknown>;

const DAY_MS = 86_400_000;
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const emailFields = {
  from: isMailbox,
  to: oneOrMore(isMailbox),
  cc: oneOrMore(isMailbox),
  bcc: oneOrMore(isMailbox),
  subject: isText,
  text: isText,
  html: isText,
  attachments: listOf(isObject),
  replyTo: isMailbox,
  inReplyTo: isText,
  references: oneOrMore(isText),
  headers: isObject,
  messageId: isFilled,
  date: (value: unknown) => isFilled(value) && !Number.isNaN(Date.parse(value)),
  raw: isFilled,
};

const single = /^\/v1\/emails\/([^/]+)$/;

export const emailRoutes: readonly FakeRoute[] = [
  {
    method: "GET",
    path: /^\/v1\/emails\/limit$/,
    carryOut: (store) => {
      store.count("readLimit");
      const recent = store.emails.filter(({ createdAt }) => createdAt.getTime() > store.now() - DAY_MS);
      return { status: 200, body: { count: recent.length, limit: store.limits.createEmail ?? 300 } };
    },
  },
  {
    method: "GET",
    path: /^\/v1\/emails$/,
    query: ["q", "domain", "is_scheduled", "sort", "page", "limit"],
    carryOut: list,
  },
  {
    method: "POST",
    path: /^\/v1\/emails$/,
    body: { fields: emailFields, required: ["from"], whole: repeatable },
    carryOut: (store, { body }) => {
      store.count("createEmail");
      const email = accepted(store, (body ?? {}) as Fields);
      store.emails.push(email);
      return { status: 200, body: shownWhole(email) };
    },
  },
  {
    method: "GET",
    path: single,
    carryOut: (store, _request, id) => {
      store.count("readEmail");
      return { status: 200, body: shownWhole(known(store, id)) };
    },
  },
  {
    method: "DELETE",
    path: single,
    carryOut: (store, _request, id) => {
      store.count("deleteEmail");
      const email = known(store, id);
      if (!["pending", "queued", "deferred"].includes(email.status)) throw new Refusal(400, "emailStatus");
      email.status = "rejected";
      email.rejectedErrors = email.envelope.to.map((recipient) => ({
        recipient,
        responseCode: 550,
        message: "Taken out of the queue",
      }));
      return { status: 200, body: shownWhole(email) };
    },
  },
];

/** An e-mail can only be sent again safely if its Message-ID and Date are the client's. */
function repeatable({ raw, messageId, date }: Fields): string[] {
  if (!isFilled(raw))
    return messageId === undefined || date === undefined ? ["body.messageId or body.date is missing"] : [];
  const headers = headersOf(raw);
  const missing = ["message-id", "date"].filter((name) => !headers.has(name));
  return [...missing.map((name) => `raw has no ${name}`), ...(headers.has("bcc") ? ["raw has a Bcc"] : [])];
}

function known(store: FakeProviderStore, idOrMessageId: string | undefined): FakeEmail {
  const email = store.emails.find(({ id, messageId }) => id === idOrMessageId || messageId === idOrMessageId);
  if (email === undefined) throw new Refusal(404, "emailUnknown");
  return email;
}

function list(store: FakeProviderStore, request: FakeRequest) {
  store.count("listEmails");
  const { query } = request;
  const part = (query.get("q") ?? "").toLowerCase();
  const found = store.emails.filter(({ domain, date, subject, messageId, envelope }) => {
    const isWanted = [subject, messageId, envelope.from, ...envelope.to].some((text) =>
      text.toLowerCase().includes(part),
    );
    const isDue = query.get("is_scheduled") !== "true" || date.getTime() > store.now();
    return isWanted && isDue && (query.get("domain") ?? domain) === domain;
  });
  if (query.get("sort") === "-created_at") found.reverse();
  const { shown: items, headers } = pageOf(request, found, { usual: 10, max: 50 });
  return { status: 200, body: items.map((email) => shown(email)), headers };
}

/** Addresses of a header or a field; text in quotes is a name. */
function addressesOf(value: unknown): string[] {
  const texts = [value].flat().map((one) => (isObject(one) ? (one as { address?: unknown }).address : one));
  return texts.flatMap((text) =>
    isText(text) ? (text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/[^\s<>,;:"]+@[^\s<>,;:"]+/g) ?? []) : [],
  );
}

/** Header fields by name in lower case; the first of a name counts, except for recipients. */
function headersOf(raw: string): Map<string, string> {
  const head = raw.split(/\r?\n\r?\n/, 1)[0] ?? "";
  const fields = new Map<string, string>();
  for (const line of head.replaceAll(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    const at = line.indexOf(":");
    const name = line.slice(0, Math.max(at, 0)).toLowerCase();
    const value = line.slice(at + 1).trim();
    const former = fields.get(name);
    if (former === undefined) fields.set(name, value);
    else if (/^(?:to|cc|bcc)$/.test(name)) fields.set(name, `${former}, ${value}`);
  }
  return fields;
}

/** Fields beside `raw` make the envelope only; without them, it is made of the message's headers. */
function envelopeOf(sent: Fields, headers: Map<string, string>) {
  const named = ["to", "cc", "bcc"].flatMap((name) => addressesOf(sent[name]));
  const written = ["to", "cc", "bcc"].flatMap((name) => addressesOf(headers.get(name)));
  const authors = [sent["from"], headers.get("from"), headers.get("sender")].flatMap(addressesOf);
  return { from: (authors[0] ?? "").toLowerCase(), to: [...new Set(named.length > 0 ? named : written)] };
}

function accepted(store: FakeProviderStore, sent: Fields): FakeEmail {
  const attachments = Array.isArray(sent["attachments"]) ? (sent["attachments"] as Fields[]) : [];
  if (attachments.some((one) => one?.["path"] || one?.["href"])) throw new Refusal(400, "attachment");
  const raw = isFilled(sent["raw"]) ? sent["raw"] : null;
  const headers = raw === null ? new Map<string, string>() : headersOf(raw);
  const envelope = envelopeOf(sent, headers);
  const domain = sendingDomain(store, envelope.from);
  checkAuthor(store, envelope.from, raw === null ? addressesOf(sent["from"]) : addressesOf(headers.get("from")));
  if (envelope.to.length === 0 || envelope.to.length > 50) throw new Refusal(400, "envelope");
  const id = headers.get("message-id") ?? (isFilled(sent["messageId"]) ? sent["messageId"] : null);
  const time = Date.parse(headers.get("date") ?? textOf(sent["date"]));
  const date = new Date(time >= 1000 ? time : store.now());
  const messageId = (id ?? `${randomUUID()}@${domain.name}`).replaceAll(/^<|>$/g, "");
  if (date.getTime() > store.now() + 30 * DAY_MS) throw new Refusal(400, "date");
  const key = JSON.stringify([messageId, date, envelope]);
  if (store.emails.some((one) => JSON.stringify([one.messageId, one.date, one.envelope]) === key))
    throw new Refusal(400, "emailExists");
  return {
    id: newId(),
    status: domain.is_smtp_suspended ? "pending" : "queued",
    domain: domain.name,
    envelope,
    messageId,
    date,
    createdAt: new Date(store.now()),
    accepted: [],
    rejectedErrors: [],
    subject: headers.get("subject") ?? textOf(sent["subject"]),
    message: raw ?? composed(sent),
  };
}

function sendingDomain(store: FakeProviderStore, from: string): FakeDomain {
  if (from === "") throw new Refusal(403, "envelope");
  const domain = store.findDomain(domainToUnicode(from.slice(from.indexOf("@") + 1)));
  if (domain === undefined) throw new Refusal(400, "domainUnknown");
  if (domain.is_global) throw new Refusal(400, "global");
  if (!domain.has_smtp || domain.plan === "free") throw new Refusal(403, "sendingOff");
  return domain;
}

/** An address without an alias may send as well, since the account owns the domain. */
function checkAuthor(store: FakeProviderStore, from: string, authors: readonly string[]): void {
  const [name = "", domain = ""] = from.split("@");
  if (store.findAlias(domainToUnicode(domain), name)?.is_enabled === false) throw new Refusal(400, "aliasOff");
  const author = authors[0]?.toLowerCase().replace(/\+[^@]*@/, "@");
  if (authors.length !== 1 || author !== from) throw new Refusal(403, "fromHeader");
}

/** Recipients in `bcc` are not written into the message. */
function composed(sent: Fields): string {
  const lines = ["from", "to", "cc", "subject", "messageId", "date"].flatMap((name) =>
    sent[name] === undefined ? [] : [`${name}: ${[sent[name]].flat().map(textOf).join(", ")}`],
  );
  return `${lines.join("\r\n")}\r\n\r\n${textOf(sent["text"] ?? sent["html"])}`;
}

/** An entry of a list: without the message, and without what each recipient's host said. */
function shown({ id, status, domain, envelope, messageId, subject, rejectedErrors, createdAt, date }: FakeEmail) {
  const bounces = (isHard: boolean) =>
    rejectedErrors.filter(({ responseCode }) => responseCode >= 500 === isHard).map(({ recipient }) => recipient);
  return {
    object: "email",
    id,
    status,
    domain,
    envelope,
    messageId,
    subject,
    date: date.toISOString(),
    hard_bounces: bounces(true),
    soft_bounces: bounces(false),
    is_bounce: false,
    link: `https://provider.example/my-account/emails/${id}`,
    created_at: createdAt.toISOString(),
  };
}

function shownWhole(email: FakeEmail) {
  const { accepted: taken, rejectedErrors, message } = email;
  return { ...shown(email), accepted: taken, rejectedErrors, message, headers: Object.fromEntries(headersOf(message)) };
}
