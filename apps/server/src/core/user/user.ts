import type { AccountSettings, AccountSettingsChange, AuthMethod } from "@kauke/contract";
import { clientBlock } from "../../limits/party.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import { AppError } from "../app-error.ts";
import type { ChosenDefaults, DefaultsChange } from "../mailbox/mailbox.ts";
import { type RegistrationDeps, requireAdmission } from "../registration.ts";
import type { FederatedPerson } from "../sign-in/federated-issuer.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";

export type FederatedName = Pick<FederatedPerson, "issuer" | "subject">;

export interface User {
  id: string;
  email: string | null;
  walletAddress: string | null;
  /** Subject identifier (`sub`), unique only per issuer. */
  googleId: string | null;
  googleIssuer?: string;
  /** The owner removed a Google account, so only the owner can link one again, in Settings. */
  isGoogleRemoved?: true;
  emailConfirmedAt: Date | null;
  /** Argon2id hash as a PHC string. */
  passwordHash: string | null;
  /** Last change, reset or removal of the password; rehashing does not count. */
  passwordSetAt?: Date;
  authMethod: AuthMethod;
  /** May use the admin page. Only `kauke users grant-admin` sets it, never registration. */
  isAdmin?: true;
  /** From the account's settings. */
  hidesFirstSteps?: true;
  firstName: string | null;
  lastName: string | null;
  profileImageUrl: string | null;
  /** In hundredths of the currency unit. */
  balanceCents: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface AccountStats {
  aliases: number;
  activeAliases: number;
  smtpCredentials: number;
  encryptionKeys: number;
  emailJobs: number;
}

export type RemovableWay = "wallet" | "google";
export type RemovalDecision = "removed" | "missing" | "last";
export type LinkResult = "linked" | "has_one" | "taken" | "gone";

export interface WayRemoval {
  way: RemovableWay;
  issuer: string | null;
  keepSession: Buffer | null;
}

export interface Registrant {
  /** Absent for accounts that no visitor registers. */
  clientAddress?: string;
  invite?: string | undefined;
}

export interface UserStore {
  /** @throws AppError `email_taken`, ignoring letter case; `invite_required`; then no invite is used up */
  insert(user: User, from?: Registrant): Promise<void>;
  /** False, using no invite, when the e-mail, wallet or Google id is taken or the invite invalid. */
  insertIfFree(user: User, from?: Registrant): Promise<boolean>;
  find(id: string): Promise<User | null>;
  findByWallet(walletAddress: string): Promise<User | null>;
  findByEmail(email: string): Promise<User | null>;
  findByGoogle(name: FederatedName): Promise<User | null>;
  /** @returns false unless the e-mail is unchanged and confirmed, and neither side ever had another link */
  linkGoogle(id: string, name: FederatedName, email: string): Promise<boolean>;
  /** `has_one`: another Google account is linked; `taken`: another account has this one. */
  attachGoogle(id: string, name: FederatedName): Promise<LinkResult>;
  linkWallet(id: string, walletAddress: string): Promise<LinkResult>;
  /** Refuses the last method, under the account's lock. Ends other sessions and deletes open links. */
  removeWay(id: string, removal: WayRemoval): Promise<RemovalDecision>;
  /** Not cached. @returns `null` when the account no longer exists */
  settings(id: string): Promise<AccountSettings | null>;
  /** @returns all settings after the change @throws AppError `invalid` for a key that is not the account's */
  changeSettings(id: string, change: AccountSettingsChange): Promise<AccountSettings | null>;
  /** The account's key of drafts; stores `unused` if it has none. @returns `null` when the account no longer exists */
  draftKey(id: string, unused: string): Promise<string | null>;
  defaults(id: string): Promise<ChosenDefaults | null>;
  /** @returns false when the account no longer exists */
  changeDefaults(id: string, change: DefaultsChange): Promise<boolean>;
  /** Stores a stronger hash of the same password. @returns false when the stored hash is not `from` any more */
  replaceHash(id: string, replacement: { from: string; to: string }): Promise<boolean>;
  /** Ends other sessions and deletes open links. @returns false, changing nothing, when the hash is not `from` */
  changePassword(id: string, change: { from: string; to: string; keepSession: Buffer | null }): Promise<boolean>;
  /** Deletes every row of the account, queued mail included, in one transaction. Its addresses stay reserved. */
  delete(id: string, network?: string | null): Promise<void>;
  stats(id: string): Promise<AccountStats>;
  count(): Promise<number>;
}

/** @throws AppError `not_signed_in` when the account no longer exists */
export async function findAccount({ users }: { users: Pick<UserStore, "find"> }, id: string): Promise<User> {
  const user = await users.find(id);
  if (user === null) throw new AppError("not_signed_in");
  return user;
}

const nothingKnown = {
  email: null,
  walletAddress: null,
  googleId: null,
  emailConfirmedAt: null,
  passwordHash: null,
  firstName: null,
  lastName: null,
  profileImageUrl: null,
  balanceCents: 0,
} as const;

export function newUser(
  { random, clock }: { random: Random; clock: Clock },
  known: Partial<User> & Pick<User, "authMethod">,
): User {
  const now = clock.now();
  return { ...nothingKnown, id: random.uuid(), createdAt: now, updatedAt: now, ...known };
}

export interface Registration {
  email: string;
  password: string;
  clientAddress: string;
  invite?: string | undefined;
}

/**
 * Hashes before it looks up the e-mail, so that a taken one takes as long as a free one.
 * @throws AppError `registration_closed`, `invite_required`, `email_taken`, `rate_limited`, `busy`
 */
export async function register(
  deps: LimitDeps & RegistrationDeps & { users: UserStore; hasher: PasswordHasher; random: Random },
  { email, password, clientAddress, invite: given }: Registration,
): Promise<User> {
  await takeLimit(deps, "register", { ipAddress: clientAddress });
  const invite = await requireAdmission(deps, { invite: given, email });
  const passwordHash = await deps.hasher.hash(password, { party: clientBlock(clientAddress), isKnown: false });
  const user = newUser(deps, { authMethod: "email", email, passwordHash });
  await deps.users.insert(user, { clientAddress, invite });
  return user;
}

/** The party of a hashing job, which decides its place in the queue. */
export interface HashTurn {
  party: string;
  /** The account knows the client's browser, session or link; such jobs have a queue of their own. */
  isKnown: boolean;
}

export interface PasswordHasher {
  /** @returns a PHC string @throws AppError `busy` when the queue is full */
  hash(password: string, turn: HashTurn): Promise<string>;
  /** @param passwordHash `null`: no password or no account; takes as long @throws AppError `busy` */
  verify(passwordHash: string | null, password: string, turn: HashTurn): Promise<boolean>;
  needsRehash(passwordHash: string): boolean;
}
