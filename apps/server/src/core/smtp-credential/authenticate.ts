/**
 * Checks the user name and password of a mail program that submits mail as an alias. We make the passwords ourselves with 139
 * random bits, so nobody can guess one, and a right password is never refused because of wrong ones: neither for those tried with
 * the same user name nor for those from the same network, which a whole office may share. The limits count wrong passwords only.
 * Beyond a limit a wrong password costs one read and no write, and the answer says to come back later.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../app-error.ts";
import { BoundedMap } from "../bounded-map.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { Clock } from "../ports.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { SmtpLogin } from "./smtp-credential.ts";

export interface SmtpLoginAttempt {
  username: string;
  password: string;
  /** The client's network (`clientNetwork`), which the limit counts by. */
  clientAddress: string;
}

/** Who sends on this connection. */
export type Submitter = Pick<SmtpLogin, "aliasId" | "userId" | "aliasAddress" | "credentialId" | "stamp">;

/** `null`: name or password is wrong, which of them is not told. `paused`: both are right, but a paused alias may not send. */
export type SmtpLoginResult = ({ kind: "signed_in" } & Submitter) | { kind: "paused" } | null;

type LoginDeps = Pick<CoreDeps, "smtpCredentials" | "rateLimits" | "limitRules" | "clock">;

/**
 * One authenticator serves all listeners of a process: it remembers for a while which clients are over a limit. Every look-up is
 * fresh.
 * @throws AppError `rate_limited` for a wrong password, `unavailable` and whatever the store throws; only `null` means wrong
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
 * Whether a connection may still send: ask before every message, so that a password that was regenerated or deleted, a
 * rename and a pause end at once what began before them.
 */
export async function checkSubmitter(
  deps: Pick<CoreDeps, "smtpCredentials">,
  { credentialId, stamp }: Pick<Submitter, "credentialId" | "stamp">,
): Promise<"valid" | "paused" | "ended"> {
  const standing = await deps.smtpCredentials.findStanding(credentialId);
  if (standing === null || standing.stamp !== stamp) return "ended";
  return standing.isPaused ? "paused" : "valid";
}

/** Digests have one length, so the comparison takes as long whatever was given. */
function isSame(expected: string, given: string): boolean {
  return timingSafeEqual(digest(expected), digest(given));
}

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

async function countFailure(deps: LoginDeps, { username, clientAddress }: SmtpLoginAttempt): Promise<void> {
  await takeLimit(deps, "smtp_login_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "smtp_login_account", { key: username.toLowerCase() });
}

const MAX_REMEMBERED = 10_000;

/** Clients over a limit, until it lets them try again: their wrong passwords are not written down meanwhile. */
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

  /** Lets `count` throw, and remembers the client when that was a limit. */
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
