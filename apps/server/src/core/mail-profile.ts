/** Links to configuration profiles, and the test of SMTP credentials at our own port. */

import { limits, type SmtpConnectionTest } from "@kauke/contract";
import type { Random } from "../runtime/ports.ts";
import { AppError, notFound } from "./app-error.ts";
import type { MailProgramSettings } from "./mail-program-settings.ts";
import { hashLinkToken, newLinkToken } from "./own-mail.ts";
import type { SmtpCredentialStore } from "./smtp-credential.ts";
import { type LimitDeps, takeLimit } from "./take-limit.ts";

export interface MailProfileLink {
  tokenHash: Buffer;
  userId: string;
  aliasId: string;
  credentialId: string;
  /** Of the credentials when the link was made: a new password or name ends the link. */
  stamp: string;
  expiresAt: Date;
}

export type FoundProfileLink = Pick<MailProfileLink, "userId" | "aliasId" | "credentialId" | "stamp">;

export interface MailProfileLinkStore {
  /** Ends the account's oldest links above the maximum. @returns false when the account no longer exists */
  issue(link: MailProfileLink, max: number): Promise<boolean>;
  /** Uses the link up for one of several concurrent calls; `null` when it is unknown, used or expired. */
  take(tokenHash: Buffer): Promise<FoundProfileLink | null>;
}

type AliasOfUser = { userId: string; aliasId: string };
interface CredentialStores {
  smtpCredentials: SmtpCredentialStore;
}

interface LinkStores extends CredentialStores {
  mailProfileLinks: MailProfileLinkStore;
}

type LinkDeps = LimitDeps & LinkStores & { mailPrograms: MailProgramSettings | null; random: Random };

const MINUTE_MS = 60_000;

/** @throws AppError `not_found`, `rate_limited` */
export async function createMailProfileLink(
  deps: LinkDeps,
  of: AliasOfUser,
): Promise<{ token: string; expiresAt: Date }> {
  await takeLimit(deps, "secret_change", { userId: of.userId });
  const credential = deps.mailPrograms === null ? null : await credentialOf(deps, of);
  if (credential === null) throw notFound("SMTP credentials not found");
  const { id: credentialId, stamp } = credential;
  const token = newLinkToken(deps.random);
  const expiresAt = new Date(deps.clock.now().getTime() + limits.mailProfileMinutes * MINUTE_MS);
  const link = { ...of, tokenHash: hashLinkToken(token), credentialId, stamp, expiresAt };
  if (!(await deps.mailProfileLinks.issue(link, limits.mailProfilesMax))) throw notFound("SMTP credentials not found");
  return { token, expiresAt };
}

async function credentialOf({ smtpCredentials }: CredentialStores, { userId, aliasId }: AliasOfUser) {
  const [credential] = (await smtpCredentials.listForAlias(userId, aliasId)) ?? [];
  const standing = credential === undefined ? null : await smtpCredentials.findStanding(credential.id);
  return credential === undefined || standing === null ? null : { ...credential, ...standing };
}

export interface MailProfileLogin {
  credentialId: string;
  username: string;
  password: string;
}

/** Uses the link up. @returns `null` when it is not valid, or the credentials have changed since */
export async function takeMailProfile(deps: LinkStores, token: string): Promise<MailProfileLogin | null> {
  const link = await deps.mailProfileLinks.take(hashLinkToken(token));
  if (link === null) return null;
  const credential = await credentialOf(deps, link);
  const password = await deps.smtpCredentials.readPassword(link.userId, link.aliasId);
  if (credential === null || password === null) return null;
  if (credential.id !== link.credentialId || credential.stamp !== link.stamp) return null;
  return { credentialId: credential.id, username: credential.username, password };
}

/** Connects and signs in at our own submission port with implicit TLS. `refused` may also mean a paused alias. */
export type TestSubmission = (login: { username: string; password: string }) => Promise<SmtpConnectionTest>;

/** @throws AppError `not_found`, `rate_limited`, `unavailable` with a forwarding provider */
export async function testSmtpConnection(
  deps: LimitDeps & CredentialStores & { testSubmission?: TestSubmission | null },
  of: AliasOfUser,
): Promise<SmtpConnectionTest> {
  const { testSubmission = null } = deps;
  const credential = await credentialOf(deps, of);
  const password = await deps.smtpCredentials.readPassword(of.userId, of.aliasId);
  if (credential === null || password === null) throw notFound("SMTP credentials not found");
  if (testSubmission === null) throw new AppError("unavailable");
  await takeLimit(deps, "smtp_test", { userId: of.userId });
  const result = await testSubmission({ username: credential.username, password });
  return result.signIn === "refused" && credential.isPaused ? { ...result, signIn: "paused" } : result;
}
