/** Sign-in by e-mail and password. Unknown e-mails cost and answer the same as wrong passwords. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { forgetLimit, takeLimit } from "../rate-limit/take-limit.ts";
import type { User } from "./user.ts";

type LoginDeps = Pick<CoreDeps, "users" | "hasher" | "clock" | "rateLimits" | "limitRules">;

export interface LoginAttempt {
  email: string;
  password: string;
  clientAddress: string;
}

/**
 * Counted before the password is looked at, so that parallel tries count too; a success forgets the account's count.
 * @returns the account with the hash that counts now, for `openByPassword`
 * @throws AppError `credentials_wrong`, `rate_limited`, `busy`
 */
export async function login(deps: LoginDeps, { email, password, clientAddress }: LoginAttempt): Promise<User> {
  const account = accountKey(email);
  await takeLimit(deps, "login_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "login_account", account);
  const user = await deps.users.findByEmail(email);
  const isRight = await deps.hasher.verify(user?.passwordHash ?? null, password);
  if (user === null || !isRight) throw new AppError("credentials_wrong");
  await forgetLimit(deps, "login_account", account);
  return { ...user, passwordHash: await strengthenHash(deps, user, password) };
}

/** Whom tries count against, here and where else the password is asked for. */
export function accountKey(email: string): { key: string } {
  return { key: email.normalize("NFC").toLowerCase() };
}

/** Parameters rose since the hash was made: make it anew. Under load that can wait for the next sign-in. */
async function strengthenHash(deps: LoginDeps, user: User, password: string): Promise<string | null> {
  const from = user.passwordHash;
  if (from === null || !deps.hasher.needsRehash(from)) return from;
  try {
    const to = await deps.hasher.hash(password);
    return (await deps.users.replaceHash(user.id, { from, to })) ? to : from;
  } catch (thrown) {
    if (!(thrown instanceof AppError && thrown.code === "busy")) throw thrown;
    return from;
  }
}
