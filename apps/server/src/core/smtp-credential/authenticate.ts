/**
 * Signing in to send as an alias (submission). Passwords are ours and random (139 bits), so guessing is hopeless; what the
 * limits stop is the work guessing makes us. They count wrong passwords only and turn away where those come from: who
 * knows an alias address can't lock its owner out by hammering at it.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { Clock } from "../ports.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { SmtpLogin } from "./smtp-credential.ts";

export interface SmtpLoginAttempt {
  username: string;
  password: string;
  /** An IPv4 address, or the /64 of an IPv6 one: what counts as one client. */
  clientAddress: string;
}

/** Who sends on this connection. */
export type Submitter = Pick<SmtpLogin, "aliasId" | "userId" | "aliasAddress" | "credentialId" | "stamp">;

/** `null`: name or password is wrong, which of them is not told. `paused`: both are right, but a paused alias may not send. */
export type SmtpLoginResult = ({ kind: "signed_in" } & Submitter) | { kind: "paused" } | null;

type LoginDeps = Pick<CoreDeps, "smtpCredentials" | "rateLimits" | "limitRules" | "clock">;

/**
 * One authenticator serves all listeners of a process: it remembers for a while which clients to turn away unheard. Every
 * look-up is fresh.
 * @throws AppError `rate_limited`, `unavailable` and whatever the store throws; only `null` means wrong
 */
export function smtpAuthenticator(deps: LoginDeps): (attempt: SmtpLoginAttempt) => Promise<SmtpLoginResult> {
  const turnedAway = new TurnedAway(deps.clock);
  return async (attempt) => {
    turnedAway.refuse(attempt.clientAddress);
    const login = await deps.smtpCredentials.findLogin(attempt.username);
    if (!isSame(login?.password ?? "", attempt.password) || login === null) {
      await turnedAway.remember(attempt.clientAddress, () => countFailure(deps, attempt));
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

/** Clients over a limit, until it lets them try again: they cost no look-up meanwhile. */
class TurnedAway {
  readonly #clock: Clock;
  readonly #until = new Map<string, Date>();

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
    const oldest = this.#until.keys().next();
    if (this.#until.size >= MAX_REMEMBERED && !oldest.done) this.#until.delete(oldest.value);
    this.#until.set(client, resetAt);
  }
}
