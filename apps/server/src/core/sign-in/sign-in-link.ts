/**
 * Signing in by a link that was mailed, for when too many try passwords at the account. The link alone signs in only the browser
 * that asked for it: a link that somebody else asked for, and passes on, would sign its reader in to an account of the sender's
 * choice. Any other browser has to give the password too, and so has a mailbox that was never proven: see `needsPassword`.
 */
import { createHash } from "node:crypto";
import { authMessages } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import { clientBlock } from "../connection/client-network.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { FoundLink } from "../user/account-link.ts";
import { findMailedLink, type LinkUse, linkOver } from "../user/mailed-link.ts";
import type { User } from "../user/user.ts";

type LinkDeps = Pick<CoreDeps, "accountLinks" | "users" | "rateLimits" | "limitRules" | "clock">;

export interface SignInLinkUse extends LinkUse {
  /** SHA-256 of the cookie that this browser held when it asked for a link; `null` if it did not ask for one. */
  browserToken: string | null;
}

/** @returns what is kept with the link of the browser that asks for it */
export function browserName(browserToken: string): string {
  return createHash("sha256").update(`sign-in-link ${browserToken}`, "latin1").digest("base64url");
}

export interface SignInLinkState {
  /** Whom the link signs in. */
  email: string;
  needsPassword: boolean;
}

/** Changes nothing. @throws AppError `not_found`, `rate_limited` */
export async function readSignInLink(deps: LinkDeps, use: SignInLinkUse): Promise<SignInLinkState> {
  const { link, user } = await findLink(deps, use);
  return { email: link.email, needsPassword: needsPassword(link, user, use.browserToken) };
}

/**
 * Whoever registered an e-mail need not be who reads its mailbox. Where that was never shown, who has both link and password is
 * both; who has the link alone may be the one an impostor locked out, and would keep the impostor's password.
 */
function needsPassword(link: FoundLink, user: User, browserToken: string | null): boolean {
  const isSameBrowser = browserToken !== null && link.askedBy === browserName(browserToken);
  return !isSameBrowser || (user.emailConfirmedAt === null && user.passwordHash !== null);
}

/**
 * Uses the link up.
 * @returns the account with the hash that counts now, for `openByPassword`
 * @throws AppError `not_found`, `rate_limited`; `invalid` without a password that is needed; `credentials_wrong` and `busy`, after
 * which the link still works
 */
export async function signInByLink(
  deps: LinkDeps & Pick<CoreDeps, "hasher">,
  { password, ...use }: SignInLinkUse & { password?: string },
): Promise<User> {
  const { link, user } = await findLink(deps, use);
  if (password === undefined && needsPassword(link, user, use.browserToken))
    throw fieldError("password", authMessages.passwordRequired);
  const proven = password === undefined ? null : await provePassword(deps, user, { ...use, password });
  if (!(await deps.accountLinks.signIn(hashLinkToken(use.token), proven))) throw linkOver();
  const signedIn = await deps.users.find(user.id);
  if (signedIn === null) throw new AppError("not_found");
  return signedIn;
}

async function findLink(deps: LinkDeps, use: LinkUse): Promise<{ link: FoundLink; user: User }> {
  const link = await findMailedLink(deps, "sign-in", use);
  const user = await deps.users.find(link.userId);
  if (user === null) throw linkOver();
  return { link, user };
}

/** @returns the hash it fits. @throws AppError `credentials_wrong`, `busy`, `rate_limited` */
async function provePassword(
  deps: LinkDeps & Pick<CoreDeps, "hasher">,
  { passwordHash }: User,
  { password, token, clientAddress }: LinkUse & { password: string },
): Promise<string> {
  await takeLimit(deps, "sign_in_link", { key: `sign-in-link ${hashLinkToken(token).toString("hex")}` });
  const turn = { party: clientBlock(clientAddress), isKnown: true };
  const isRight = await deps.hasher.verify(passwordHash, password, turn);
  if (passwordHash === null || !isRight) throw new AppError("credentials_wrong");
  return passwordHash;
}
