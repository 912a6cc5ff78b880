/** Sign-in by e-mail and password. An unknown e-mail takes as long and gets the same answer as a wrong password. */
import { AppError } from "../app-error.ts";
import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { HashTurn } from "../password/password-hasher.ts";
import type { User } from "../user/user.ts";
import { type CountedTry, countSignInTry, type SignInTry } from "./sign-in-try.ts";

type LoginDeps = Pick<CoreDeps, "users" | "hasher" | "browserMac" | "clock" | "rateLimits" | "limitRules">;

export interface LoginAttempt extends SignInTry {
  password: string;
}

/** The account with its current hash, for `openByPassword`. */
export interface LoggedIn {
  user: User;
  isKnownBrowser: boolean;
}

/**
 * Checks the password. The attempt is counted before that, so that concurrent attempts count too; a right password
 * resets the count.
 * @throws AppError `credentials_wrong`, `rate_limited`, `sign_in_by_link`, `busy`
 */
export async function login(deps: LoginDeps, { password, ...attempt }: LoginAttempt): Promise<LoggedIn> {
  const counted = await countSignInTry(deps, attempt);
  const { isKnownBrowser } = counted;
  const turn = { party: clientBlock(attempt.clientAddress), isKnown: isKnownBrowser };
  const user = await deps.users.findByEmail(attempt.email);
  const isRight = await verifyCounted(deps, counted, { hash: user?.passwordHash ?? null, password, turn });
  if (user === null || !isRight) throw new AppError("credentials_wrong");
  return { user: { ...user, passwordHash: await strengthenHash(deps, user, { password, turn }) }, isKnownBrowser };
}

/**
 * Checks the password of a counted attempt.
 * @throws AppError `busy`; the attempt is then not counted, as no password was checked
 */
export async function verifyCounted(
  { hasher }: Pick<CoreDeps, "hasher">,
  counted: CountedTry,
  { hash, password, turn }: { hash: string | null; password: string; turn: HashTurn },
): Promise<boolean> {
  const isRight = await hasher.verify(hash, password, turn).catch(async (thrown: unknown) => {
    await counted.giveBack();
    throw thrown;
  });
  if (isRight) await counted.succeed();
  return isRight;
}

/**
 * Hashes the password again if its hash was made with weaker parameters than the current ones. When the server is busy,
 * the new hash has to wait for the next sign-in.
 */
async function strengthenHash(
  deps: LoginDeps,
  user: User,
  { password, turn }: { password: string; turn: HashTurn },
): Promise<string | null> {
  const from = user.passwordHash;
  if (from === null || !deps.hasher.needsRehash(from)) return from;
  try {
    const to = await deps.hasher.hash(password, turn);
    return (await deps.users.replaceHash(user.id, { from, to })) ? to : from;
  } catch (thrown) {
    if (!(thrown instanceof AppError && thrown.code === "busy")) throw thrown;
    return from;
  }
}
