/** Routes of aliases: create, read, list, update, delete, generate-password. */
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { FakeRoute } from "./fake-forward-email-rules.ts";
import { isAddress, isFilled, isFlag, isText, isTrue, listOf, oneOf } from "./fake-forward-email-rules.ts";
import type { FakeAlias, FakeDomain, FakeProviderStore, FakeRequest } from "./fake-forward-email-store.ts";
import { newId, pageOf, Refusal } from "./fake-forward-email-store.ts";

type Fields = Record<string, unknown>;

const destination = (value: unknown) => isAddress(value) || (isText(value) && value.startsWith("https://"));

const aliasFields = {
  name: isFilled,
  recipients: listOf(destination, 1),
  description: (value: unknown) => isText(value) && value.length <= 150 && !/[<>]/.test(value),
  labels: listOf(isFilled),
  is_enabled: isFlag,
  error_code_if_disabled: oneOf(250, 421, 550),
  has_recipient_verification: oneOf(false),
  has_imap: oneOf(false),
};

const collection = /^\/v1\/domains\/([^/]+)\/aliases$/;
const single = /^\/v1\/domains\/([^/]+)\/aliases\/([^/]+)$/;

export const aliasRoutes: readonly FakeRoute[] = [
  {
    method: "GET",
    path: collection,
    query: ["q", "name", "recipient", "sort", "page", "limit"],
    carryOut: (store, request, domain) => list(store, request, paidDomain(store, domain)),
  },
  {
    method: "POST",
    path: collection,
    body: { fields: aliasFields, required: ["name", "recipients", "is_enabled"] },
    carryOut: (store, { body }, at) => {
      const domain = paidDomain(store, at);
      const fields = validated(body, domain, null);
      if ((fields.recipients ?? []).length === 0) fields.recipients = [store.account.email];
      store.count("createAlias");
      const now = new Date(store.now());
      const alias = {
        ...blank,
        ...fields,
        id: newId(),
        domain: domain.name,
        name: fields.name ?? randomBytes(5).toString("hex"),
        createdAt: now,
        updatedAt: now,
      };
      checkSaving(store, alias, domain);
      store.saveAlias(alias);
      return { status: 200, body: shown(store, alias) };
    },
  },
  {
    method: "GET",
    path: single,
    carryOut: (store, _request, domain, alias) => ({ status: 200, body: shown(store, known(store, domain, alias)) }),
  },
  {
    method: "PUT",
    path: single,
    body: {
      fields: aliasFields,
      required: ["recipients", "description", "is_enabled", "error_code_if_disabled"],
    },
    carryOut: (store, { body }, at, name) => {
      const former = known(store, at, name);
      const domain = paidDomain(store, at);
      const alias = { ...former, ...validated(body, domain, former), updatedAt: new Date(store.now()) };
      checkSaving(store, alias, domain);
      store.saveAlias(alias);
      return { status: 200, body: shown(store, alias) };
    },
  },
  {
    method: "DELETE",
    path: single,
    carryOut: (store, _request, domain, name) => {
      const alias = known(store, domain, name);
      if (store.refusesDeletion) throw new Refusal(400, "deletionTooEarly");
      store.deleteAlias(alias);
      return { status: 200, body: shown(store, alias) };
    },
  },
  {
    method: "POST",
    path: /^\/v1\/domains\/([^/]+)\/aliases\/([^/]+)\/generate-password$/,
    body: { fields: { new_password: isFilled, password: isFilled, is_override: isTrue }, required: [] },
    carryOut: (store, { body }, domain, name) => generatePassword(store, fieldsOf(body), known(store, domain, name)),
  },
];

/** What a new alias has if nothing else is sent. */
export const blank: Omit<FakeAlias, "id" | "name" | "domain" | "createdAt" | "updatedAt"> = {
  recipients: [],
  is_enabled: true,
  error_code_if_disabled: 250,
  description: "",
  labels: [],
  has_imap: false,
  has_recipient_verification: false,
  password: null,
};

function paidDomain(store: FakeProviderStore, idOrName = ""): FakeDomain {
  const domain = store.findDomain(idOrName);
  if (domain === undefined) throw new Refusal(404, "domainUnknown");
  if (domain.plan === "free") throw new Refusal(402, "plan");
  return domain;
}

function known(store: FakeProviderStore, domain = "", idOrName = ""): FakeAlias {
  const alias = store.findAlias(paidDomain(store, domain).name, idOrName);
  if (alias === undefined) throw new Refusal(404, "aliasUnknown");
  return alias;
}

function list(store: FakeProviderStore, request: FakeRequest, domain: FakeDomain) {
  const contains = (text: string, part: string | null) =>
    part === null || text.toLowerCase().includes(part.trim().toLowerCase());
  const { query } = request;
  const found = store.aliases.filter((alias) => {
    const texts = [alias.name, alias.description, ...alias.labels, ...alias.recipients];
    return (
      alias.domain === domain.name &&
      contains(alias.name, query.get("name")?.split("@")[0] ?? null) &&
      (query.get("recipient") === null || alias.recipients.some((one) => contains(one, query.get("recipient")))) &&
      texts.some((text) => contains(text, query.get("q")))
    );
  });
  const sort = query.get("sort") ?? "created_at";
  const key = (alias: FakeAlias) => (sort.endsWith("name") ? alias.name : alias.createdAt.toISOString());
  found.sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  if (sort.startsWith("-")) found.reverse();
  const { shown: items, headers } = pageOf(request, found, { usual: 1000, max: store.maxPageSize });
  return { status: 200, body: items.map((alias) => shown(store, alias)), headers };
}

const fieldsOf = (body: unknown): Fields => (typeof body === "object" && body !== null ? (body as Fields) : {});
const isYes = (value: unknown) => [true, 1, "true", "1", "yes", "on"].includes(value as string);
const wordsOf = (value: unknown): string[] => {
  const parts: unknown[] = typeof value === "string" ? value.split(/[\s,]+/) : Array.isArray(value) ? value : [];
  return [...new Set(parts.flatMap((part) => (isFilled(part) ? [part.trim()] : [])))];
};

/** Fields as the provider stores them; unknown ones are ignored. A missing description or label list becomes empty. */
function validated(body: unknown, domain: FakeDomain, former: FakeAlias | null): Partial<FakeAlias> {
  const sent = fieldsOf(body);
  if (isFilled(sent["password"]) || isFilled(sent["new_password"])) throw new Refusal(400, "passwordField");
  const description = isText(sent["description"]) ? sent["description"].replaceAll(/<[^>]*>/g, "") : "";
  const code = sent["error_code_if_disabled"];
  const fields: Partial<FakeAlias> = {
    description: description.trim(),
    labels: wordsOf(sent["labels"]).map((label) => label.toLowerCase().replaceAll(/[^\p{L}\d]+/gu, "-")),
  };
  if (isFilled(sent["name"])) fields.name = sent["name"].trim().toLowerCase();
  if (code !== undefined)
    fields.error_code_if_disabled = Number.parseInt(isText(code) ? code : JSON.stringify(code), 10) as 250;
  if (sent["is_enabled"] !== undefined) fields.is_enabled = isYes(sent["is_enabled"]);
  if (sent["has_imap"] !== undefined) fields.has_imap = isYes(sent["has_imap"]);
  if (sent["has_recipient_verification"] !== undefined || former === null)
    fields.has_recipient_verification = isYes(sent["has_recipient_verification"] ?? domain.has_recipient_verification);
  if (sent["recipients"] !== undefined || former === null)
    fields.recipients = wordsOf(sent["recipients"]).map((one) => (isAddress(one) ? one.toLowerCase() : one));
  return fields;
}

/** The word `null` is no recipient of the provider's; it is stored as it is, so that a test finds it. */
function isRecipient(text: string): boolean {
  return text === "null" || isAddress(text) || isIP(text) > 0 || /^(?:https?:\/\/)?[\w-]+(?:\.[\w-]+)+/.test(text);
}

function checkSaving(store: FakeProviderStore, alias: FakeAlias, domain: FakeDomain): void {
  const { name, recipients } = alias;
  const own = `${name}@${domain.name}`;
  if (name !== "*" && (!isAddress(own) || /^!|\+/.test(name))) throw new Refusal(400, "name");
  if (![250, 421, 550].includes(alias.error_code_if_disabled)) throw new Refusal(400, "errorCode");
  if (alias.description.length > 150) throw new Refusal(400, "description");
  if (!recipients.every(isRecipient)) throw new Refusal(400, "recipient");
  if (recipients.length > (domain.max_recipients_per_alias || 10)) throw new Refusal(400, "recipients");
  if (alias.is_enabled && recipients.includes(own)) throw new Refusal(400, "aliasIsRecipient");
  if (name === "*" && !alias.is_enabled) throw new Refusal(400, "catchAllOff");
  const others = store.aliases.filter((one) => one.domain === domain.name && one.id !== alias.id);
  if (others.some((one) => one.name === name)) throw new Refusal(400, "aliasExists");
  if (domain.is_global && (name === "*" || others.length >= 50)) throw new Refusal(400, "global");
}

function generatePassword(store: FakeProviderStore, sent: Fields, alias: FakeAlias) {
  store.count("generatePassword");
  if (alias.name === "*") throw new Refusal(400, "name");
  const isOverride = isYes(sent["is_override"]);
  const hasCurrent = isFilled(sent["password"]);
  if (hasCurrent === isOverride && (hasCurrent || alias.password !== null)) throw new Refusal(400, "overrideNeeded");
  if (hasCurrent && sent["password"] !== alias.password) throw new Refusal(403, "passwordWrong");
  const password = sent["new_password"] ?? randomBytes(12).toString("hex");
  if (!isText(password) || !isStrong(password)) throw new Refusal(400, "passwordWeak");
  alias.password = password;
  return { status: 200, body: { username: `${alias.name}@${alias.domain}`, password } };
}

/** The provider estimates the strength with zxcvbn; length and variety stand for it. */
function isStrong(password: string): boolean {
  return !/['"]/.test(password) && password.length >= 12 && new Set(password).size >= 8;
}

function shown(store: FakeProviderStore, alias: FakeAlias): Fields {
  const { id, name, recipients, labels, is_enabled, error_code_if_disabled, has_imap } = alias;
  const domain = store.findDomain(alias.domain);
  return {
    object: "alias",
    id,
    name,
    recipients,
    labels,
    is_enabled,
    error_code_if_disabled,
    has_imap,
    domain: { id: domain?.id, name: alias.domain },
    user: { id: store.account.id, email: store.account.email },
    ...(alias.description === "" ? {} : { description: alias.description }),
    has_recipient_verification: alias.has_recipient_verification,
    verified_recipients: [],
    pending_recipients: alias.has_recipient_verification ? recipients : [],
    has_pgp: false,
    storage_used: 0,
    created_at: alias.createdAt.toISOString(),
    updated_at: alias.updatedAt.toISOString(),
  };
}
