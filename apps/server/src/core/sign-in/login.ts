/** Sign-in by e-mail and password. An unknown e-mail takes as long as a wrong password and gets the same reply. */

import { clientBlock } from "../../limits/party.ts";
import { AppError, asAppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { forgetLimit, giveBackLimit, takeLimit, tryLimit } from "../take-limit.ts";
import type { HashTurn, User } from "../user/user.ts";
import { accountName, findEntry, isStanding, type KnownBrowserEntry } from "./known-browser.ts";

type LoginDeps = Pick<CoreDeps, "users" | "hasher" | "browserMac" | "clock" | "rateLimits" | "limitRules">;

export interface LoginAttempt extends SignInTry {
  password: string;
}

export interface LoggedIn {
  user: User;
  isKnownBrowser: boolean;
}

/**
 * Counts the attempt before hashing, so that concurrent attempts count too.
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

/** @throws AppError `busy`, uncounting the attempt, because no password was checked */
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

/** Replaces a hash of weaker parameters; when the server is busy, the next sign-in replaces it. */
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
    if (asAppError(thrown)?.code !== "busy") throw thrown;
    return from;
  }
}

interface SignInTry {
  email: string;
  clientAddress: string;
  browser: string | null;
}

/** A counted attempt is a failure unless `succeed` or `giveBack` is called. */
interface CountedTry {
  isKnownBrowser: boolean;
  succeed(): Promise<void>;
  giveBack(): Promise<void>;
}

type TryDeps = Pick<CoreDeps, "users" | "browserMac" | "clock" | "rateLimits" | "limitRules">;

/**
 * Guesses slow down their own network. Above a common limit, also for e-mails without an account, unknown browsers
 * need a mailed link. @throws AppError `rate_limited`, `sign_in_by_link`
 */
async function countSignInTry(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  return (await countKnownBrowser(deps, attempt)) ?? (await countUnknown(deps, attempt));
}

/** Counts an attempt of a signed-in user apart from other networks' attempts. @throws AppError `rate_limited` */
export async function countSignedInTry(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  return (await countKnownBrowser(deps, attempt)) ?? (await countNetwork(deps, attempt));
}

/** @returns `null` for an unknown browser, or when a limit of known browsers is reached */
async function countKnownBrowser(deps: TryDeps, { email, browser }: SignInTry): Promise<CountedTry | null> {
  const entry = findEntry(deps.browserMac, browser, email);
  if (entry === null) return null;
  const user = await deps.users.findByEmail(email);
  if (user === null || !isStanding(deps.browserMac, entry, user)) return null;
  const subject = { key: browserName(entry) };
  const giveBack = () => giveBackLimit(deps, "login_browser", subject);
  // The browser's limit comes first, so that a stolen cookie above it does not use up the account's limit.
  if ((await tryLimit(deps, "login_browser", subject)) !== null) return null;
  if ((await tryLimit(deps, "login_known", { key: accountName(email) })) !== null) {
    await giveBack();
    return null;
  }
  return { isKnownBrowser: true, succeed: () => forgetLimit(deps, "login_browser", subject), giveBack };
}

const browserName = ({ token }: KnownBrowserEntry) => `browser ${token.toString("hex")}`;

/** Narrow limits come first, and a refused attempt does not count for wider ones, so that floods spare those. */
async function countUnknown(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  const { email, clientAddress } = attempt;
  const key = accountName(email);
  await takeLimit(deps, "login_ip", { ipAddress: clientAddress });
  const network = await countNetwork(deps, attempt);
  const block = { key, ipAddress: clientBlock(clientAddress) };
  linkUnlessFits(await tryLimit(deps, "login_block", block));
  linkUnlessFits(await tryLimit(deps, "login_common", { key }));
  const giveBackShared = async () => {
    await giveBackLimit(deps, "login_block", block);
    await giveBackLimit(deps, "login_common", { key });
  };
  return {
    isKnownBrowser: false,
    succeed: async () => void (await Promise.all([network.succeed(), giveBackShared()])),
    giveBack: async () => void (await Promise.all([network.giveBack(), giveBackShared()])),
  };
}

function linkUnlessFits(resetAt: Date | null): void {
  if (resetAt !== null) throw new AppError("sign_in_by_link", { resetAt });
}

async function countNetwork(deps: TryDeps, { email, clientAddress }: SignInTry): Promise<CountedTry> {
  const subject = { key: accountName(email), ipAddress: clientAddress };
  await takeLimit(deps, "login_account", subject);
  return {
    isKnownBrowser: false,
    succeed: () => forgetLimit(deps, "login_account", subject),
    giveBack: () => giveBackLimit(deps, "login_account", subject),
  };
}
