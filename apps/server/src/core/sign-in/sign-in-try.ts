/**
 * Limits password attempts at an account. Guesses from one network slow down that network only. Guesses from many
 * networks reach a common limit, above which unknown browsers need a link by mail. Browsers that have signed in before
 * have a limit of their own. The same applies to e-mails without an account.
 */
import { AppError } from "../app-error.ts";
import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import { forgetLimit, giveBackLimit, takeLimit, tryLimit } from "../rate-limit/take-limit.ts";
import { accountName, findEntry, isStanding, type KnownBrowserEntry } from "./known-browser.ts";

export interface SignInTry {
  email: string;
  clientAddress: string;
  /** Cookie of a browser that signed in before, see `known-browser.ts`. */
  browser: string | null;
}

/** A password attempt that was allowed and counted. It counts as a failure unless `succeed` or `giveBack` is called. */
export interface CountedTry {
  isKnownBrowser: boolean;
  /** Resets the counts of failures: the password was right. */
  succeed(): Promise<void>;
  /** Subtracts the attempt from the counts: the password could not be checked. */
  giveBack(): Promise<void>;
}

type TryDeps = Pick<CoreDeps, "users" | "browserMac" | "clock" | "rateLimits" | "limitRules">;

/** Counts a sign-in attempt. @throws AppError `rate_limited`; `sign_in_by_link` when only a mailed link is allowed */
export async function countSignInTry(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  return (await countKnownBrowser(deps, attempt)) ?? (await countUnknown(deps, attempt));
}

/**
 * Counts a password attempt by a signed-in user: other networks' attempts do not matter.
 * @throws AppError `rate_limited`
 */
export async function countSignedInTry(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  return (await countKnownBrowser(deps, attempt)) ?? (await countNetwork(deps, attempt));
}

/**
 * Counts the attempt against the limits of known browsers.
 * @returns `null` when the account does not know this browser, or one of these limits is reached
 */
async function countKnownBrowser(deps: TryDeps, { email, browser }: SignInTry): Promise<CountedTry | null> {
  const entry = findEntry(deps.browserMac, browser, email);
  if (entry === null) return null;
  const user = await deps.users.findByEmail(email);
  if (user === null || !isStanding(deps.browserMac, entry, user)) return null;
  const subject = { key: browserName(entry) };
  const giveBack = () => giveBackLimit(deps, "login_browser", subject);
  // The browser's own limit is checked first, so that a stolen cookie over its limit does not use up the account's
  // limit.
  if ((await tryLimit(deps, "login_browser", subject)) !== null) return null;
  if ((await tryLimit(deps, "login_known", { key: accountName(email) })) !== null) {
    await giveBack();
    return null;
  }
  return { isKnownBrowser: true, succeed: () => forgetLimit(deps, "login_browser", subject), giveBack };
}

const browserName = ({ token }: KnownBrowserEntry) => `browser ${token.toString("hex")}`;

/**
 * Checks the limits from narrow to wide. Attempts refused by one are not counted by the next, so a flood from one
 * network does not use up the limit of others.
 */
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
