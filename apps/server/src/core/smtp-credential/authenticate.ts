/**
 * Checks user name and password of a mail program that submits mail as an alias. We generate the passwords with 139
 * random bits, so they cannot be guessed, and the right password is never refused because of wrong ones for the same
 * user name or from the same network, which a whole office may share. Only wrong passwords count against the limits.
 * Above a limit, a wrong password costs one read and no write, and the client is told to try again later.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../../runtime/maps.ts";
import type { Clock } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { SmtpCredentialStore, SmtpLogin } from "./smtp-credential.ts";

export interface SmtpLoginAttempt {
  username: string;
  password: string;
  /** Network of the client (`clientNetwork`), by which the limit counts. */
  clientAddress: string;
}

/** The alias and account that this connection sends for. */
export type Submitter = Pick<SmtpLogin, "aliasId" | "userId" | "aliasAddress" | "credentialId" | "stamp">;

/**
 * Result of checking user name and password. `null`: either is wrong; the client is not told which. `paused`: both are
 * right, but a paused alias may not send.
 */
export type SmtpLoginResult = ({ kind: "signed_in" } & Submitter) | { kind: "paused" } | null;

type LoginDeps = LimitDeps & { smtpCredentials: Pick<SmtpCredentialStore, "findLogin"> };

/**
 * Makes the authenticator that all listeners of a process share. It remembers which clients are over a limit;
 * credentials are looked up every time.
 * @throws AppError `rate_limited` for a wrong password, `unavailable`, and whatever the store throws; only `null` means
 * wrong credentials
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
    return { kind: "signed_in", aliasId, userId, aliasAddress, credentialId, stamp };
  };
}

/**
 * Whether a connection may still send. Called before every message, so that regenerating or deleting the password,
 * renaming and pausing also apply to open connections.
 */
export async function checkSubmitter(
  deps: { smtpCredentials: Pick<SmtpCredentialStore, "findStanding"> },
  { credentialId, stamp }: Pick<Submitter, "credentialId" | "stamp">,
): Promise<"valid" | "paused" | "ended"> {
  const standing = await deps.smtpCredentials.findStanding(credentialId);
  if (standing === null || standing.stamp !== stamp) return "ended";
  return standing.isPaused ? "paused" : "valid";
}

/** Compares digests, which have equal length, so that the time does not depend on the input. */
function isSame(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

async function countFailure(deps: LoginDeps, { username, clientAddress }: SmtpLoginAttempt): Promise<void> {
  await takeLimit(deps, "smtp_login_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "smtp_login_account", { key: username.toLowerCase() });
}

const MAX_REMEMBERED = 10_000;

/** Clients over a limit, until they may try again. Meanwhile their wrong passwords are not counted in the store. */
class ClientsOverLimit {
  readonly #clock: Clock;
  readonly #until = new BoundedMap<string, Date>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  refuse(client: string): void {
    const resetAt = this.#until.get(client);
    if (resetAt === undefined) return;
    if (resetAt > this.#clock.now()) throw new AppError("rate_limited", { resetAt });
    this.#until.delete(client);
  }

  /** Runs `count`, rethrows its error, and remembers the client if the error was a rate limit. */
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
