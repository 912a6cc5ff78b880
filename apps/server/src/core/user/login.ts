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
 * @throws AppError `credentials_wrong`, `rate_limited`, `busy`
 */
export async function login(deps: LoginDeps, { email, password, clientAddress }: LoginAttempt): Promise<User> {
  const account = { key: email.normalize("NFC").toLowerCase() };
  await takeLimit(deps, "login_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "login_account", account);
  const user = await deps.users.findByEmail(email);
  const isRight = await deps.hasher.verify(user?.passwordHash ?? null, password);
  if (user === null || !isRight) throw new AppError("credentials_wrong");
  await forgetLimit(deps, "login_account", account);
  await strengthenHash(deps, user, password);
  return user;
}

/** Parameters rose since the hash was made: make it anew. Under load that can wait for the next sign-in. */
async function strengthenHash(deps: LoginDeps, user: User, password: string): Promise<void> {
  if (user.passwordHash === null || !deps.hasher.needsRehash(user.passwordHash)) return;
  try {
    await deps.users.setPasswordHash(user.id, await deps.hasher.hash(password));
  } catch (thrown) {
    if (!(thrown instanceof AppError && thrown.code === "busy")) throw thrown;
  }
}
