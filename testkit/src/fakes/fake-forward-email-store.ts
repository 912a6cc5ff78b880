/** What the fake of Forward Email stores, how it refuses, and its lists in pages. Field names are the provider's. */
import { randomBytes } from "node:crypto";
import { domainToUnicode } from "node:url";

export interface FakeAlias {
  /** 24 hexadecimal digits. */
  id: string;
  /** Local part in lower case; `*` is the catch-all. */
  name: string;
  domain: string;
  recipients: string[];
  is_enabled: boolean;
  error_code_if_disabled: 250 | 421 | 550;
  /** Empty if none. */
  description: string;
  labels: string[];
  has_imap: boolean;
  has_recipient_verification: boolean;
  /** In plain text, for tests; the provider stores a hash. */
  password: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface FakeDomain {
  id: string;
  name: string;
  plan: string;
  is_global: boolean;
  has_smtp: boolean;
  is_smtp_suspended: boolean;
  has_mx_record: boolean;
  has_txt_record: boolean;
  has_dkim_record: boolean;
  has_return_path_record: boolean;
  has_dmarc_record: boolean;
  /** True from the beginning, and only right once an alias of the domain has been saved or deleted. */
  has_catchall: boolean;
  has_recipient_verification: boolean;
  /** 0 means the provider's default, 10. */
  max_recipients_per_alias: number;
  verification_record: string;
  /** Other settings that were sent: `smtp_port`, `bounce_webhook`, … */
  settings: Record<string, unknown>;
  createdAt: Date;
}

export type FakeEmailStatus = "pending" | "queued" | "deferred" | "sent" | "partially_sent" | "bounced" | "rejected";

export interface FakeRejection {
  recipient: string;
  responseCode: number;
  response?: string;
  message: string;
}

export interface FakeEmail {
  id: string;
  status: FakeEmailStatus;
  domain: string;
  envelope: { from: string; to: string[] };
  /** Without angle brackets. */
  messageId: string;
  date: Date;
  subject: string;
  /** The message as text: `raw`, or made of the fields that were sent. */
  message: string;
  accepted: string[];
  rejectedErrors: FakeRejection[];
  createdAt: Date;
}

/** One change of what an address does. */
export interface FakeChange {
  /** Milliseconds since 1970. */
  at: number;
  address: string;
  /** Recipients that are stored; empty once the alias is deleted or has another name. */
  recipients: readonly string[];
  isEnabled: boolean;
}

export interface FakeRequest {
  method: string;
  /** Of the URL, without the query, e.g. `/v1/domains/kauke.example/aliases`. */
  path: string;
  query: URLSearchParams;
  body: unknown;
}

export interface FakeResponse {
  status: number;
  /** Text is sent as `text/plain`, everything else as JSON. */
  body: unknown;
  headers?: Record<string, string>;
}

/** Requests of one kind per window and account; a kind without an entry is not limited. */
export type FakeLimits = Partial<Record<FakeLimitKind, number>>;

export type FakeLimitKind =
  | "createAlias"
  | "createDomain"
  | "createEmail"
  | "deleteEmail"
  | "generatePassword"
  | "listEmails"
  | "readEmail"
  | "readLimit";

/** The provider's limits per day, for `limits`. */
export const FORWARD_EMAIL_LIMITS: FakeLimits = {
  createAlias: 300,
  createDomain: 50,
  createEmail: 300,
  deleteEmail: 100,
  generatePassword: 50,
  listEmails: 100,
  readEmail: 100,
  readLimit: 100,
};

/** Messages in English and in German, which is what a client gets that does not ask for English. */
const texts = {
  aliasExists: ["There is an alias of this name", "Es gibt bereits einen Alias mit diesem Namen"],
  aliasIsRecipient: ["An alias cannot be its own recipient", "Ein Alias kann nicht sein eigener Empfänger sein"],
  aliasOff: ["The alias is off", "Der Alias ist abgeschaltet"],
  aliasUnknown: ["No such alias", "Diesen Alias gibt es nicht"],
  attachment: ["An attachment has content only", "Ein Anhang darf nur Inhalt enthalten"],
  banned: ["The account is locked", "Das Konto ist gesperrt"],
  catchAllOff: ["A catch-all cannot be off", "Ein Catch-all kann nicht abgeschaltet werden"],
  date: ["Date is too far from today", "Datum liegt zu weit von heute entfernt"],
  deletionTooEarly: ["Deletion is possible five days after payment", "Löschen ist fünf Tage nach der Zahlung möglich"],
  description: ["Description is too long", "Beschreibung ist zu lang"],
  domainExists: ["There is a domain of this name", "Es gibt bereits eine Domain mit diesem Namen"],
  domainInvalid: ["Not a domain", "Keine gültige Domain"],
  domainUnknown: ["No such domain", "Diese Domain gibt es nicht"],
  emailExists: ["This e-mail was sent before", "This e-mail was sent before"],
  emailStatus: ["The e-mail has left the queue", "Die E-Mail ist nicht mehr in der Warteschlange"],
  emailUnknown: ["No such e-mail", "Diese E-Mail gibt es nicht"],
  envelope: ["The envelope is incomplete", "Der Umschlag ist unvollständig"],
  errorCode: ["The code for disabled aliases is unknown", "Der Code für abgeschaltete Aliase ist unbekannt"],
  fromHeader: ["From is not the alias", "Absender ist nicht der Alias"],
  global: ["Not possible with a shared domain", "Mit einer geteilten Domain nicht möglich"],
  key: ["The key is missing or wrong", "Der Schlüssel fehlt oder ist falsch"],
  name: ["Alias name is invalid", "Alias-Name ist ungültig"],
  overrideNeeded: ["Current password or override is needed", "Aktuelles Passwort oder Überschreiben ist nötig"],
  passwordField: ["Passwords have their own route", "Für Passwörter gibt es einen eigenen Weg"],
  passwordWeak: ["Password is too weak", "Passwort ist zu schwach"],
  passwordWrong: ["Password is wrong", "Passwort ist falsch"],
  plan: ["A paid plan is needed", "Ein bezahlter Tarif ist nötig"],
  recipient: ["A recipient is invalid", "Ein Empfänger ist ungültig"],
  recipients: ["Number of recipients is invalid", "Anzahl der Empfänger ist ungültig"],
  records: ["DNS records are missing", "DNS-Einträge fehlen"],
  route: ["Not found", "Nicht gefunden"],
  sendingOff: ["The domain may not send", "Die Domain darf nicht senden"],
  unverified: ["The account's e-mail is not verified", "Die E-Mail-Adresse des Kontos ist nicht bestätigt"],
} as const;

/** A response that is not 2xx; handlers throw it. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: keyof typeof texts;

  constructor(status: number, reason: keyof typeof texts) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }

  text(isEnglish: boolean): string {
    return texts[this.reason][isEnglish ? 0 : 1];
  }
}

/** A response 429; handlers throw it. */
export class LimitReached extends Error {
  readonly resetAt: number;

  constructor(resetAt: number) {
    super("limit");
    this.resetAt = resetAt;
  }
}

export class FakeProviderStore {
  readonly account = {
    id: newId(),
    email: "owner@account.example",
    plan: "enhanced_protection",
    isBanned: false,
    isVerified: true,
  };
  readonly domains: FakeDomain[] = [];
  readonly aliases: FakeAlias[] = [];
  readonly emails: FakeEmail[] = [];
  readonly history: FakeChange[] = [];
  now: () => number = () => Date.now();
  limits: FakeLimits = {};
  limitWindowMs = 86_400_000;
  /** Largest page of aliases and domains. */
  maxPageSize = 1000;
  /** The provider refuses deletions in the first days after a payment. */
  refusesDeletion = false;
  readonly #windows = new Map<FakeLimitKind, { count: number; resetAt: number }>();

  count(kind: FakeLimitKind): void {
    const now = this.now();
    const known = this.#windows.get(kind);
    const open = known !== undefined && known.resetAt > now ? known : { count: 0, resetAt: now + this.limitWindowMs };
    if (open.count >= (this.limits[kind] ?? Number.POSITIVE_INFINITY)) throw new LimitReached(open.resetAt);
    open.count++;
    this.#windows.set(kind, open);
  }

  /** Stores it in Unicode, the only form by which it is found. */
  addDomain(given: string, isReady: boolean): FakeDomain {
    const name = domainToUnicode(given) || given;
    const domain: FakeDomain = {
      id: newId(),
      name,
      plan: this.account.plan,
      is_global: false,
      has_smtp: isReady,
      is_smtp_suspended: false,
      has_mx_record: isReady,
      has_txt_record: isReady,
      has_dkim_record: isReady,
      has_return_path_record: isReady,
      has_dmarc_record: isReady,
      has_catchall: true,
      has_recipient_verification: false,
      max_recipients_per_alias: 0,
      verification_record: randomBytes(5).toString("hex"),
      settings: {},
      createdAt: new Date(this.now()),
    };
    this.domains.push(domain);
    return domain;
  }

  findDomain(idOrName: string): FakeDomain | undefined {
    return this.domains.find(({ id, name }) => id === idOrName || name === idOrName);
  }

  findAlias(domain: string, idOrName: string): FakeAlias | undefined {
    return this.aliases.find((one) => one.domain === domain && (one.id === idOrName || one.name === idOrName));
  }

  /** Adds the alias, or replaces the one with its id, and logs the change. */
  saveAlias(alias: FakeAlias): void {
    const at = this.aliases.findIndex(({ id }) => id === alias.id);
    const former = this.aliases[at];
    if (former === undefined) this.aliases.push(alias);
    else this.aliases[at] = alias;
    if (former !== undefined && former.name !== alias.name) this.#log(former, false);
    this.#log(alias, true);
  }

  deleteAlias(alias: FakeAlias): void {
    this.aliases.splice(
      this.aliases.findIndex(({ id }) => id === alias.id),
      1,
    );
    this.#log(alias, false);
  }

  #log({ name, domain, recipients, is_enabled }: FakeAlias, isThere: boolean): void {
    const change = isThere
      ? { recipients: [...recipients], isEnabled: is_enabled }
      : { recipients: [], isEnabled: false };
    this.history.push({ at: this.now(), address: `${name}@${domain}`, ...change });
    const record = this.findDomain(domain);
    if (record !== undefined) record.has_catchall = this.findAlias(domain, "*") !== undefined;
  }
}

/** Ids begin with the time, as MongoDB's do. */
export function newId(): string {
  const seconds = Math.floor(Date.now() / 1000);
  return seconds.toString(16).padStart(8, "0") + randomBytes(8).toString("hex");
}

/**
 * One page with the provider's headers, of which two mislead: `X-Page-Size` is the number of items on this page, and
 * `Link` compares that number with the number of the page.
 */
export function pageOf<T>(request: FakeRequest, items: readonly T[], sizes: { usual: number; max: number }) {
  const asked = Number.parseInt(request.query.get("limit") ?? "", 10);
  const limit = Math.min(asked > 0 ? asked : sizes.usual, sizes.max);
  const page = Math.max(1, Number.parseInt(request.query.get("page") ?? "1", 10) || 1);
  const shown = items.slice((page - 1) * limit, page * limit);
  const link = (to: number) => `<https://api.provider.example${request.path}?limit=${limit}&page=${to}>`;
  const links = [
    ...(page > 1 ? [`${link(page - 1)}; rel="prev"`] : []),
    ...(shown.length > page ? [`${link(page + 1)}; rel="next"`] : []),
    `${link(shown.length || 1)}); rel="last"`,
    `${link(1)}); rel="first"`,
  ];
  const headers = {
    "x-page-count": String(Math.ceil(items.length / limit)),
    "x-page-current": String(page),
    "x-page-size": String(shown.length || 1),
    "x-item-count": String(items.length),
    link: links.join(", "),
  };
  return { shown, headers };
}
