/**
 * Who may try a password at an account now. One network that guesses is slowed down and slows nobody else; guesses from many
 * networks end at a common measure, beyond which a browser that never signed in needs a link by mail; a browser that has signed
 * in before has a measure of its own. The same for e-mails without an account.
 */
import { AppError } from "../app-error.ts";
import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import { forgetLimit, giveBackLimit, takeLimit, tryLimit } from "../rate-limit/take-limit.ts";
import { accountName, findEntry, isStanding, type KnownBrowserEntry } from "./known-browser.ts";

export interface SignInTry {
  email: string;
  clientAddress: string;
  /** The cookie of browsers that signed in before, see `known-browser.ts`. */
  browser: string | null;
}

/** A try that was let through and counted as a failure, which it is until told otherwise. */
export interface CountedTry {
  isKnownBrowser: boolean;
  /** The password was right. */
  succeed(): Promise<void>;
  /** The password was not looked at. */
  giveBack(): Promise<void>;
}

type TryDeps = Pick<CoreDeps, "users" | "browserMac" | "clock" | "rateLimits" | "limitRules">;

/** @throws AppError `rate_limited`; `sign_in_by_link` where only a link by mail leads in */
export async function countSignInTry(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  return (await countKnownBrowser(deps, attempt)) ?? (await countUnknown(deps, attempt));
}

/** The same where somebody is signed in already: no try of anybody else counts. @throws AppError `rate_limited` */
export async function countSignedInTry(deps: TryDeps, attempt: SignInTry): Promise<CountedTry> {
  return (await countKnownBrowser(deps, attempt)) ?? (await countNetwork(deps, attempt));
}

/** @returns `null` when this browser is not known to the account, or has used up its measure */
async function countKnownBrowser(deps: TryDeps, { email, browser }: SignInTry): Promise<CountedTry | null> {
  const entry = findEntry(deps.browserMac, browser, email);
  if (entry === null) return null;
  const user = await deps.users.findByEmail(email);
  if (user === null || !isStanding(deps.browserMac, entry, user)) return null;
  const subject = { key: browserName(entry) };
  const giveBack = () => giveBackLimit(deps, "login_browser", subject);
  // The browser's own limit is checked first, so that a stolen cookie over its limit does not use up the account's limit.
  if ((await tryLimit(deps, "login_browser", subject)) !== null) return null;
  if ((await tryLimit(deps, "login_known", { key: accountName(email) })) !== null) {
    await giveBack();
    return null;
  }
  return { isKnownBrowser: true, succeed: () => forgetLimit(deps, "login_browser", subject), giveBack };
}

const browserName = ({ token }: KnownBrowserEntry) => `browser ${token.toString("hex")}`;

/** What one level lets through is all that the next one sees, so a flood from one network uses up no other's share. */
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
