/** Whether a new account may be created. Accounts that exist sign in whatever the mode. */
import { invitePattern, type RegistrationMode } from "@kauke/contract";
import type { Clock, Random } from "../runtime/ports.ts";
import { AppError } from "./app-error.ts";
import { exactMailbox } from "./destination/same-mailbox.ts";
import { newLinkToken } from "./own-mail.ts";

export interface Invite {
  id: string;
  /** E-mail address that the account must have; `null`: any account, without an e-mail too. */
  address: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface InviteStore {
  /** @returns false if as many invites are open as may be */
  insert(invite: Invite, token: string): Promise<boolean>;
  /** @returns `null` if the token is unknown, used, revoked or expired */
  find(token: string): Promise<Pick<Invite, "address"> | null>;
  /** Open invites, the one that expires first before the others. */
  list(): Promise<Invite[]>;
  /** @returns false if no open invite has this id */
  revoke(id: string): Promise<boolean>;
  deleteExpired(now: Date): Promise<number>;
}

export interface RegistrationDeps {
  registration: RegistrationMode;
  invites: Pick<InviteStore, "find">;
}

export type RegistrationRefusal = "registration_closed" | "invite_required";

export interface Applicant {
  /** As the client sent it. */
  invite: string | undefined;
  email: string | null;
}

/** @returns why this applicant may not create an account; `null` if they may */
export async function findRefusal(
  { registration, invites }: RegistrationDeps,
  { invite, email }: Applicant,
): Promise<RegistrationRefusal | null> {
  if (registration === "open") return null;
  if (registration === "closed") return "registration_closed";
  const found = invite === undefined || !invitePattern.test(invite) ? null : await invites.find(invite);
  return found !== null && admits(found, email) ? null : "invite_required";
}

function admits({ address }: Pick<Invite, "address">, email: string | null): boolean {
  return address === null || (email !== null && exactMailbox(address) === exactMailbox(email));
}

/**
 * @returns the invite that creating the account uses up; absent if it needs none
 * @throws AppError `registration_closed`, `invite_required`
 */
export async function requireAdmission(deps: RegistrationDeps, applicant: Applicant): Promise<string | undefined> {
  const refusal = await findRefusal(deps, applicant);
  if (refusal !== null) throw new AppError(refusal);
  return inviteToUse(deps, applicant);
}

/** An invite that nobody needed stays open. */
export function inviteToUse(
  { registration }: Pick<RegistrationDeps, "registration">,
  { invite }: Pick<Applicant, "invite">,
): string | undefined {
  return registration === "invite" ? invite : undefined;
}

const DAY_MS = 86_400_000;

/** @returns the new invite and its token, of which only a hash is stored; `null` if too many are open */
export async function createInvite(
  { invites, clock, random }: { invites: InviteStore; clock: Clock; random: Random },
  { address, days }: { address: string | null; days: number },
): Promise<{ invite: Invite; token: string } | null> {
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + days * DAY_MS);
  const invite = { id: random.uuid(), address, createdAt, expiresAt };
  const token = newLinkToken(random);
  return (await invites.insert(invite, token)) ? { invite, token } : null;
}
