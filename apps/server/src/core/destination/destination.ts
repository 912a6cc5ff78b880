/** State of confirmation between an account and a mailbox it forwards to: asked, confirmed, refused, blocked. */
import type { ConfirmationChoice, ConfirmationState } from "@kauke/contract";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import type { Alias } from "../alias/alias.ts";
import { AppError } from "../app-error.ts";

/**
 * State of a pair of account and mailbox that has a row. The row is made when mail is first forwarded, when
 * confirmation is requested, or when the account confirms this mailbox as its e-mail.
 */
export type KnownState = Exclude<ConfirmationState, "new">;

export interface Pair {
  userId: string;
  /** Mailbox address in any spelling. */
  address: string;
}

export interface ConfirmationSettings {
  /** Base URL of the confirmation links, e.g. `https://kauke.test`. */
  origin: string;
  /** Our first domain, which is the domain of the confirmation message's From address. */
  domain: string;
}

export interface AskInput extends Pair {
  /** Id of the row to insert if the pair of account and mailbox has no row yet. */
  id: string;
  tokenHash: Buffer;
  tokenExpiresAt: Date;
  /**
   * True if the owner requested the confirmation message; false if it is sent because mail is forwarded for the first
   * time.
   */
  isByOwner: boolean;
}

/** `ask`: the state was stored and the link is valid; the caller sends the message. */
export type AskDecision =
  | { kind: "ask" }
  | { kind: "known"; state: KnownState }
  /** The account has as many unconfirmed mailboxes as it may have. */
  | { kind: "too_many" }
  /** The mailbox was asked for confirmation before. It may be asked again at `nextAt`, or never if that is `null`. */
  | { kind: "too_soon"; nextAt: Date | null };

/** What is known about a valid answer link. */
export interface AskedLink {
  state: KnownState;
  /** Account that forwards to the mailbox. */
  userId: string;
  /** Address that the confirmation message was sent to; `null` for links from before this was stored. */
  address: string | null;
}

export interface Answered {
  state: KnownState;
  /**
   * Accounts that may no longer forward to the mailbox, each with the address as an alias spells it, if an alias has
   * it.
   */
  ended: readonly { userId: string; address: string | null }[];
}

/** Every change of a state drops the account's cached routes in every process. */
export interface DestinationStore {
  /**
   * Confirmation state of each mailbox, by address as given; read in two queries. A mailbox that is a confirmed e-mail
   * of the account counts as confirmed.
   */
  states(userId: string, addresses: readonly string[]): Promise<Map<string, ConfirmationState>>;
  /** Whether the reader of any of the mailboxes has blocked mail from this server. */
  isAnyBlocked(addresses: readonly string[]): Promise<boolean>;
  /** Returns those of the given mailboxes whose reader has blocked mail from this server. */
  blockedAmong(addresses: readonly string[]): Promise<Set<string>>;
  /**
   * Whether other people than the owner of a mailbox write from its domain: it is a public mail host, or several
   * accounts have confirmed mailboxes there or at another name below the same registered domain, since DMARC aligns them.
   * @param domain in lower case and ASCII
   */
  isSharedDomain(domain: string): Promise<boolean>;
  /**
   * Decides with `decideAsk`, under the account's lock, whether to ask the mailbox for confirmation; if so, stores
   * state and link in the same commit.
   */
  ask(input: AskInput): Promise<AskDecision>;
  /** Reverts what `ask` stored, when the confirmation message could not be enqueued. */
  takeBackAsk(input: AskInput): Promise<void>;
  /** Looks a link up without changing anything. @returns `null` for a link that is unknown or expired */
  readLink(tokenHash: Buffer): Promise<AskedLink | null>;
  answerLink(tokenHash: Buffer, choice: ConfirmationChoice): Promise<Answered | null>;
}

export const MISSING_MAILBOX_RULE = {
  /** Number of messages that the mailbox's host refuses before the mailbox is suspended. */
  refusals: 3,
  /** Minimum milliseconds between the first and the last of the refusals that suspend a mailbox. */
  spanMs: 86_400_000,
} as const;

export interface MailboxRefusal {
  userId: string;
  /** Mailbox address as the alias spells it. */
  address: string;
  messageId: string;
}

export interface MissingMailbox {
  refusals: number;
  firstAt: Date;
  isSuspended: boolean;
  /** Whether the mailbox was suspended by this refusal, and not by an earlier one. */
  isNew: boolean;
}

/** Every change that affects routes drops the account's cached routes in every process. */
export interface MissingMailboxStore {
  /**
   * Counts a refused message once, however many aliases it came through.
   * @returns `null` when nothing was counted: the message was counted before, the mailbox is suspended already, or the
   * account no longer exists or has too many rows
   */
  note(refusal: MailboxRefusal): Promise<MissingMailbox | null>;
  /**
   * Resets the count, when the mailbox accepted a message or its owner resumes it.
   * @returns false when there was no count
   */
  clear(userId: string, address: string): Promise<boolean>;
  /** Deletes counts whose last refusal is older and that suspended no mailbox. @returns number of deleted rows */
  deleteBefore(before: Date): Promise<number>;
  /** Suspended mailboxes among the addresses, in one query. */
  suspended(userId: string, addresses: readonly string[]): Promise<Set<string>>;
}

/** Resumes a suspended mailbox at the owner's request and resets its count of refusals. @throws AppError `not_found` */
export async function resumeMailbox(
  { missingMailboxes }: { missingMailboxes: MissingMailboxStore },
  { userId, address }: Pair,
): Promise<void> {
  if (await missingMailboxes.clear(userId, address)) return;
  throw new AppError("not_found", { message: "This mailbox is not suspended." });
}

/** State of each unconfirmed mailbox, by the address as an alias spells it. */
export type ShownStates = ReadonlyMap<string, ConfirmationState>;

/**
 * Mailboxes whose state the owner should see: all unconfirmed ones; if this server asks for no confirmations, only
 * those that refused or blocked mail.
 */
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

export function mailboxesOf({ routing }: Pick<Alias, "routing">): string[] {
  const destinations = routing.state === "active" ? routing.destinations : routing.lastDestinations;
  return destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
}

/** Mailboxes that any of the aliases forwards to, as they spell them. */
async function mailboxesOfAll(aliases: readonly Pick<Alias, "routing">[]): Promise<Set<string>> {
  const addresses = new Set<string>();
  await mapInSlices(aliases, (alias) => {
    for (const address of mailboxesOf(alias)) addresses.add(address);
  });
  return addresses;
}

/**
 * Suspended mailboxes of the aliases, read in one query. They get no mail, since their hosts say that they do not
 * exist.
 */
export async function suspendedMailboxes(
  { missingMailboxes }: { missingMailboxes: MissingMailboxStore },
  userId: string,
  aliases: readonly Alias[],
): Promise<ReadonlySet<string>> {
  const addresses = await mailboxesOfAll(aliases);
  return addresses.size === 0 ? new Set() : missingMailboxes.suspended(userId, [...addresses]);
}
