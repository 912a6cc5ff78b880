/**
 * Mailed reset and sign-in links. A link alone signs in only the browser that requested it, or an attacker could pass
 * on a link that signs its reader in to the attacker's account. Other browsers also need the password.
 */
import { createHash } from "node:crypto";
import { authMessages } from "@kauke/contract";
import { clientBlock } from "../../limits/party.ts";
import { AppError, fieldError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { sameMailbox } from "../destination/same-mailbox.ts";
import { hashLinkToken } from "../own-mail.ts";
import { takeLimit, tryLimit } from "../take-limit.ts";
import type { AccountLinkKind, FoundLink } from "../user/account-link.ts";
import { type AccountMailDeps, sendAccountLink } from "../user/account-mail.ts";
import type { User } from "../user/user.ts";

type LinkDeps = Pick<CoreDeps, "accountLinks" | "users" | "rateLimits" | "limitRules" | "clock">;

export interface SignInLinkUse extends LinkUse {
  browserToken: string | null;
}

export function browserName(browserToken: string): string {
  return createHash("sha256").update(`sign-in-link ${browserToken}`, "latin1").digest("base64url");
}

export interface SignInLinkState {
  email: string;
  needsPassword: boolean;
}

/** Reads a sign-in link without using it. @throws AppError `not_found`, `rate_limited` */
export async function readSignInLink(deps: LinkDeps, use: SignInLinkUse): Promise<SignInLinkState> {
  const { link, user } = await findLink(deps, use);
  return { email: link.email, needsPassword: needsPassword(link, user, use.browserToken) };
}

/** Before the e-mail is confirmed, the link alone is not enough: an impostor may have registered it with a password. */
function needsPassword(link: FoundLink, user: User, browserToken: string | null): boolean {
  const isSameBrowser = browserToken !== null && link.askedBy === browserName(browserToken);
  return !isSameBrowser || (user.emailConfirmedAt === null && user.passwordHash !== null);
}

/**
 * @throws AppError `not_found`, `rate_limited`; `invalid` without a required password; `credentials_wrong` and `busy`,
 * after which the link stays valid
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

/** @returns the hash that the password matched @throws AppError `credentials_wrong`, `busy`, `rate_limited` */
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

type LimitDeps = Pick<CoreDeps, "rateLimits" | "limitRules" | "clock">;
type MailedKind = Exclude<AccountLinkKind, "email" | "new-email">;

export const linkOver = () => notFound("This link was already used, was replaced by a newer one, or has expired.");

/** Counted per kind: whoever exhausts one kind has sent the owner links of it. @throws AppError `rate_limited` */
export async function countLinkRequest(
  deps: LimitDeps,
  kind: MailedKind,
  { email, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  await takeLimit(deps, "password_reset_mailbox", { key: limitKey(kind, email) });
}

const limitKey = (kind: MailedKind, email: string) => `${kind} ${sameMailbox(email)}`;

export interface LinkRequest {
  email: string;
  askedBy?: string;
}

/** Call after the response: neither it nor its timing may show whether the account exists. */
export async function sendRequestedLink(
  deps: AccountMailDeps & LimitDeps & Pick<CoreDeps, "users">,
  kind: MailedKind,
  { email, askedBy }: LinkRequest,
): Promise<void> {
  const user = await deps.users.findByEmail(email);
  if (user === null || user.email === null) return;
  // An unconfirmed address may belong to someone other than whoever registered it.
  const isStranger = user.emailConfirmedAt === null;
  if (isStranger && (await tryLimit(deps, "password_reset_unproven", { key: limitKey(kind, user.email) })) !== null)
    return;
  await sendAccountLink(deps, kind, { userId: user.id, email: user.email, askedBy });
}

export interface LinkUse {
  token: string;
  clientAddress: string;
}

/**
 * Counts unknown tokens only, so that other clients' attempts never block a valid link.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function findMailedLink(
  deps: LimitDeps & Pick<CoreDeps, "accountLinks">,
  kind: MailedKind,
  { token, clientAddress }: LinkUse,
): Promise<FoundLink> {
  const link = await deps.accountLinks.find(kind, hashLinkToken(token));
  if (link !== null) return link;
  await takeLimit(deps, "password_reset_ip", { ipAddress: clientAddress });
  throw linkOver();
}
