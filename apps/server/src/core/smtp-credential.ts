import { createHash, timingSafeEqual } from "node:crypto";
import { bounds } from "../limits/table.ts";
import { BoundedMap } from "../runtime/maps.ts";
import { type Clock, type Random, randomText } from "../runtime/ports.ts";
import { AppError, notFound } from "./app-error.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

/** With these a mail program sends as an alias. The password is read separately, on request. */
export interface SmtpCredential {
  id: string;
  userId: string;
  aliasId: string;
  /** The alias' address as its owner typed it; follows renaming. */
  username: string;
  active: boolean;
  /** Day of the last sign-in (UTC), e.g. `2026-11-28`; `null`: never. */
  lastUsedOn: string | null;
  createdAt: Date;
}

export interface NewSmtpCredential {
  id: string;
  userId: string;
  aliasId: string;
  password: string;
  createdAt: Date;
}

/** If the three ids do not belong together, the credential counts as absent. */
export interface SmtpCredentialKey {
  userId: string;
  aliasId: string;
  credentialId: string;
}

export interface CredentialLogin {
  credentialId: string;
  aliasId: string;
  userId: string;
  aliasAddress: string;
  password: string;
  isPaused: boolean;
  lastUsedOn: string | null;
  /** Changes with password and user name, so that open connections notice it. */
  stamp: string;
}

/** Not cached: every process sees a change at its next look-up. */
export interface SmtpCredentialStore {
  listForAlias(userId: string, aliasId: string): Promise<SmtpCredential[] | null>;
  /** @returns `null` when the alias is another user's or has no credentials */
  readPassword(userId: string, aliasId: string): Promise<string | null>;
  /** `null` for another user's alias. @throws AppError `smtp_credential_exists` */
  insert(credential: NewSmtpCredential): Promise<SmtpCredential | null>;
  replacePassword(key: SmtpCredentialKey, password: string): Promise<SmtpCredential | null>;
  delete(key: SmtpCredentialKey): Promise<boolean>;
  /** Ignores letter case; an unknown user name takes as long as a known one. */
  findLogin(username: string): Promise<CredentialLogin | null>;
  /** Stores the day of use; the day is all that is known of it. */
  noteUse(credentialId: string, day: string): Promise<void>;
  /** `null` when the credential was deleted or deactivated. */
  findStanding(credentialId: string): Promise<Pick<CredentialLogin, "stamp" | "isPaused"> | null>;
}

/** SMTP host name of all domains, covered by the certificate. */
export function smtpHost(ownDomains: readonly string[]): string {
  return `smtp.${ownDomains[0]}`;
}

/** Without similar characters, because users type passwords. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
const GROUPS = 6;
const GROUP_LENGTH = 4;
/** 24 characters from an alphabet of 56 (139 bits) in groups, e.g. `vq4T-9mZe-Xr27-hKp8-Wd3n-6bYs`. */
export function newSmtpPassword(random: Pick<Random, "bytes">): string {
  return Array.from({ length: GROUPS }, () => randomText(random, ALPHABET, GROUP_LENGTH)).join("-");
}

type CredentialDeps = LimitDeps & { smtpCredentials: SmtpCredentialStore };

/** @throws AppError `not_found`, `smtp_credential_exists`, `rate_limited` */
export async function createSmtpCredential(
  deps: CredentialDeps & { random: Random },
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<{ credential: SmtpCredential; password: string }> {
  await takeLimit(deps, "secret_change", { userId });
  const password = newSmtpPassword(deps.random);
  const input = { id: deps.random.uuid(), userId, aliasId, password, createdAt: deps.clock.now() };
  const credential = await deps.smtpCredentials.insert(input);
  if (credential === null) throw notFound("Alias not found");
  return { credential, password };
}

export async function listSmtpCredentials(
  deps: Pick<CredentialDeps, "smtpCredentials">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<SmtpCredential[]> {
  const credentials = await deps.smtpCredentials.listForAlias(userId, aliasId);
  if (credentials === null) throw notFound("Alias not found");
  return credentials;
}

export async function readSmtpPassword(
  deps: Pick<CredentialDeps, "smtpCredentials">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<string> {
  const password = await deps.smtpCredentials.readPassword(userId, aliasId);
  if (password === null) throw notFound("SMTP credentials not found");
  return password;
}

/** The old password is invalid once this resolves. @throws AppError `not_found`, `rate_limited` */
export async function regenerateSmtpPassword(
  deps: CredentialDeps & { random: Random },
  key: SmtpCredentialKey,
): Promise<{ credential: SmtpCredential; password: string }> {
  await takeLimit(deps, "secret_change", { userId: key.userId });
  const password = newSmtpPassword(deps.random);
  const credential = await deps.smtpCredentials.replacePassword(key, password);
  if (credential === null) throw notFound("SMTP credentials not found");
  return { credential, password };
}

/** The password is invalid once this resolves. @throws AppError `not_found`, `rate_limited` */
export async function deleteSmtpCredential(deps: CredentialDeps, key: SmtpCredentialKey): Promise<void> {
  await takeLimit(deps, "secret_change", { userId: key.userId });
  if (!(await deps.smtpCredentials.delete(key))) throw notFound("SMTP credentials not found");
}

export interface SmtpLoginAttempt {
  username: string;
  password: string;
  clientAddress: string;
}

export type Submitter = Pick<CredentialLogin, "aliasId" | "userId" | "aliasAddress" | "credentialId" | "stamp">;

/** `null`: wrong user name or password; `paused`: a paused alias may not send. */
export type SmtpLoginResult = ({ kind: "signed_in" } & Submitter) | { kind: "paused" } | null;

type LoginDeps = LimitDeps & { smtpCredentials: Pick<SmtpCredentialStore, "findLogin" | "noteUse"> };

/**
 * Passwords have 139 random bits, so wrong ones never lock the right one out. Only `null` means wrong credentials.
 * @throws AppError `rate_limited` for a wrong password, `unavailable`, and whatever the store throws
 */
export function smtpAuthenticator(deps: LoginDeps): (attempt: SmtpLoginAttempt) => Promise<SmtpLoginResult> {
  const overLimit = new ClientsOverLimit(deps.clock);
  return async (attempt) => {
    const login = await deps.smtpCredentials.findLogin(attempt.username);
    if (!isSame(login?.password ?? "", attempt.password) || login === null) {
      overLimit.refuse(attempt.clientAddress);
      await overLimit.remember(attempt.clientAddress, () => countFailure(deps, attempt));
      return null;
    }
    if (login.isPaused) return { kind: "paused" };
    const { aliasId, userId, aliasAddress, credentialId, stamp } = login;
    const today = deps.clock.now().toISOString().slice(0, 10);
    // A failure to store the day is ignored: the next sign-in stores it.
    if (login.lastUsedOn !== today) void deps.smtpCredentials.noteUse(credentialId, today).catch(() => {});
    return { kind: "signed_in", aliasId, userId, aliasAddress, credentialId, stamp };
  };
}

/** Called before every message, so that changes of password, name or state also end open connections. */
export async function checkSubmitter(
  deps: { smtpCredentials: Pick<SmtpCredentialStore, "findStanding"> },
  { credentialId, stamp }: Pick<Submitter, "credentialId" | "stamp">,
): Promise<"valid" | "paused" | "ended"> {
  const standing = await deps.smtpCredentials.findStanding(credentialId);
  if (standing === null || standing.stamp !== stamp) return "ended";
  return standing.isPaused ? "paused" : "valid";
}

/** Constant-time: digests have equal length. */
function isSame(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

async function countFailure(deps: LoginDeps, { username, clientAddress }: SmtpLoginAttempt): Promise<void> {
  await takeLimit(deps, "smtp_login_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "smtp_login_account", { key: username.toLowerCase() });
}

/** Clients over a limit. Their further wrong passwords cost no write. */
class ClientsOverLimit {
  readonly #clock: Clock;
  readonly #until = new BoundedMap<string, Date>(bounds.remembered.refusedClients);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  refuse(client: string): void {
    const resetAt = this.#until.get(client);
    if (resetAt === undefined) return;
    if (resetAt > this.#clock.now()) throw new AppError("rate_limited", { resetAt });
    this.#until.delete(client);
  }

  async remember(client: string, count: () => Promise<void>): Promise<void> {
    try {
      await count();
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.details.resetAt !== undefined) this.#add(client, thrown.details.resetAt);
      throw thrown;
    }
  }

  #add(client: string, resetAt: Date): void {
    this.#until.set(client, resetAt);
  }
}
