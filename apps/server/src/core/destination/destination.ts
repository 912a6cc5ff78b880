import type { ConfirmationChoice, ConfirmationState } from "@kauke/contract";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import { type Alias, mailboxesOf } from "../alias/alias.ts";
import { notFound } from "../app-error.ts";

export type KnownState = Exclude<ConfirmationState, "new">;

export interface Pair {
  userId: string;
  address: string;
}

export interface ConfirmationSettings {
  origin: string;
  domain: string;
  /** Set with a forwarding provider, which forwards nothing to an unconfirmed mailbox; our engine, a few messages. */
  isNothingForwarded?: true;
}

export interface AskInput extends Pair {
  id: string;
  tokenHash: Buffer;
  tokenExpiresAt: Date;
  /** False when the server asks because mail is forwarded to the mailbox for the first time. */
  isByOwner: boolean;
}

/** `ask`: the state was stored and the link is valid; the caller sends the message. */
export type AskDecision =
  | { kind: "ask" }
  | { kind: "known"; state: KnownState }
  | { kind: "too_many" }
  /** Time of the next possible confirmation message to the mailbox; `null`: never. */
  | { kind: "too_soon"; nextAt: Date | null };

export interface AskedLink {
  state: KnownState;
  userId: string;
  address: string | null;
}

export interface DecidedByLink {
  state: KnownState;
  /** Accounts that may no longer forward to the mailbox; `address` as an alias spells it. */
  ended: readonly { userId: string; address: string | null }[];
}

/** Every change of a state drops the account's cached routes in every process. */
export interface DestinationStore {
  /** States by address as given. A confirmed account e-mail counts as a confirmed mailbox. */
  states(userId: string, addresses: readonly string[]): Promise<Map<string, ConfirmationState>>;
  /** Whether the reader of one of these mailboxes blocks mail from this server. */
  isAnyBlocked(addresses: readonly string[]): Promise<boolean>;
  blockedAmong(addresses: readonly string[]): Promise<Set<string>>;
  /** Whether strangers write from the domain: a public mail host, or several accounts below the registered domain. */
  isSharedDomain(domain: string): Promise<boolean>;
  /** Decides by `decideAsk`; stores state and link in one commit, the account locked. */
  ask(input: AskInput): Promise<AskDecision>;
  takeBackAsk(input: AskInput): Promise<void>;
  readLink(tokenHash: Buffer): Promise<AskedLink | null>;
  decideByLink(tokenHash: Buffer, choice: ConfirmationChoice): Promise<DecidedByLink | null>;
}

export const MISSING_MAILBOX_RULE = {
  refusals: 3,
  spanMs: 86_400_000,
} as const;

export interface MailboxRefusal {
  userId: string;
  address: string;
  messageId: string;
}

export interface MissingMailbox {
  refusals: number;
  firstAt: Date;
  isSuspended: boolean;
  isNew: boolean;
}

/** Counts refusals at RCPT in our own SMTP sessions only, because a delivery report can be forged. */
export interface MissingMailboxStore {
  /** Counts a refused message once for all aliases. @returns `null` when it was not counted */
  note(refusal: MailboxRefusal): Promise<MissingMailbox | null>;
  /** Resets the count after a delivery or at the owner's request. @returns false without a count */
  clear(userId: string, address: string): Promise<boolean>;
  /** Deletes counts with an older last refusal, except those that suspended a mailbox. */
  deleteBefore(before: Date): Promise<number>;
  suspended(userId: string, addresses: readonly string[]): Promise<Set<string>>;
}

/** Resumes a suspended mailbox at the owner's request. @throws AppError `not_found` */
export async function resumeMailbox(
  { missingMailboxes }: { missingMailboxes: MissingMailboxStore },
  { userId, address }: Pair,
): Promise<void> {
  if (await missingMailboxes.clear(userId, address)) return;
  throw notFound("This mailbox is not suspended.");
}

export type ShownStates = ReadonlyMap<string, ConfirmationState>;

/** Unconfirmed mailboxes; on a server without confirmations only those that refused or blocked mail. */
export async function unconfirmedMailboxes(
  { destinations, confirmation }: { destinations: DestinationStore; confirmation: ConfirmationSettings | null },
  userId: string,
  aliases: readonly Alias[],
): Promise<ShownStates> {
  const addresses = await mailboxesOfAll(aliases);
  if (addresses.size === 0) return new Map();
  const states = await destinations.states(userId, [...addresses]);
  const shown = [...states].filter(([, state]) =>
    confirmation === null ? state === "refused" || state === "blocked" : state !== "confirmed",
  );
  return new Map(shown);
}

async function mailboxesOfAll(aliases: readonly Pick<Alias, "routing">[]): Promise<Set<string>> {
  const addresses = new Set<string>();
  await mapInSlices(aliases, (alias) => {
    for (const address of mailboxesOf(alias)) addresses.add(address);
  });
  return addresses;
}

/** Mailboxes that get no mail because their hosts call them nonexistent. One query. */
export async function suspendedMailboxes(
  { missingMailboxes }: { missingMailboxes: MissingMailboxStore },
  userId: string,
  aliases: readonly Alias[],
): Promise<ReadonlySet<string>> {
  const addresses = await mailboxesOfAll(aliases);
  return addresses.size === 0 ? new Set() : missingMailboxes.suspended(userId, [...addresses]);
}
