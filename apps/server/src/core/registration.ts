/** Whether a new account may be created. Existing accounts can sign in whatever the mode. */
import { invitePattern, type RegistrationMode } from "@kauke/contract";
import type { Clock, Random } from "../runtime/ports.ts";
import { AppError } from "./app-error.ts";
import { exactMailbox } from "./destination/same-mailbox.ts";
import { newLinkToken } from "./own-mail.ts";

export interface Invite {
  id: string;
  /** E-mail address that the account must have; `null`: any account, also one without an address. */
  address: string | null;
  createdAt: Date;
  expiresAt: Date;
}

export interface InviteStore {
  /** @returns false if the maximum of open invites is reached */
  insert(invite: Invite, token: string): Promise<boolean>;
  /** @returns `null` if the token is unknown, used, revoked or expired */
  find(token: string): Promise<Pick<Invite, "address"> | null>;
  /** Open invites in the order in which they expire. */
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
  invite: string | undefined;
  email: string | null;
}

/** @returns why the applicant may not create an account; `null` if they may */
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

/** @returns the invite to use up, if one is needed @throws AppError `registration_closed`, `invite_required` */
export async function requireAdmission(deps: RegistrationDeps, applicant: Applicant): Promise<string | undefined> {
  const refusal = await findRefusal(deps, applicant);
  if (refusal !== null) throw new AppError(refusal);
  return inviteToUse(deps, applicant);
}

/** An invite that the registration mode does not require stays open. */
export function inviteToUse(
  { registration }: Pick<RegistrationDeps, "registration">,
  { invite }: Pick<Applicant, "invite">,
): string | undefined {
  return registration === "invite" ? invite : undefined;
}

const DAY_MS = 86_400_000;

/** @returns the invite and its token, which is stored only as a hash; `null` if too many are open */
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
