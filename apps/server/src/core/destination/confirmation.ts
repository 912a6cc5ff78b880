import {
  type ConfirmationChoice,
  type ConfirmationLinkStanding,
  type ConfirmationState,
  mailDays,
  product,
} from "@kauke/contract";
import { bounds } from "../../limits/table.ts";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import { mailboxesOf } from "../alias/alias.ts";
import { AppError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import {
  hashLinkToken,
  newLinkToken,
  type OwnMessageHead,
  ownMessage,
  type QueueDeps,
  queueOwnMessage,
} from "../own-mail.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import {
  type AskDecision,
  type AskedLink,
  type AskInput,
  type ConfirmationSettings,
  type DecidedByLink,
  type DestinationStore,
  type KnownState,
  type Pair,
} from "./destination.ts";
import { exactMailbox, sameMailbox } from "./same-mailbox.ts";

/** Maximum confirmation messages per account and mailbox, including the first. */
export const MESSAGES_MAX = 3;
const RESEND_AFTER_MS = 86_400_000;
export const LINK_DAYS = mailDays.confirmationLink;

export interface AskedPair {
  state: ConfirmationState;
  askedAt: readonly Date[];
  waiting: number;
}

export function decideAsk(pair: AskedPair, { now, isByOwner }: { now: Date; isByOwner: boolean }): AskDecision {
  const { state, askedAt, waiting } = pair;
  if (state === "new") return waiting >= bounds.mailboxConfirmations.waiting ? { kind: "too_many" } : { kind: "ask" };
  if (state !== "asked" || !isByOwner) return { kind: "known", state };
  if (askedAt.length >= MESSAGES_MAX) return { kind: "too_soon", nextAt: null };
  const nextAt = new Date((askedAt.at(-1)?.getTime() ?? 0) + RESEND_AFTER_MS);
  return nextAt > now ? { kind: "too_soon", nextAt } : { kind: "ask" };
}

/** The mailbox's reader may change the choice, except a block, which only the operator can lift. */
export function stateAfter(state: KnownState, choice: ConfirmationChoice): KnownState {
  if (state === "blocked" || choice === "block") return "blocked";
  return choice === "mine" ? "confirmed" : "refused";
}

export interface ConfirmationMessage
  extends OwnMessageHead,
    Pick<ConfirmationSettings, "origin" | "isNothingForwarded"> {
  token: string;
}

/** Contains no alias, account name or plus tag, so that nobody can send a stranger their own text. */
export function confirmationMessage(message: ConfirmationMessage): Buffer {
  const { from, origin, token, isNothingForwarded = false } = message;
  const mine = `${origin}/confirm/${token}`;
  return ownMessage(message, {
    subject: "Is this mailbox yours?",
    blocks: [
      `Somebody with an account at ${product.name} (${from.slice(from.indexOf("@") + 1)}) ${isNothingForwarded ? "wants to have" : "has"} mail forwarded to this mailbox.`,
      `If that is you, please confirm it. Until then ${isNothingForwarded ? "nothing is" : "only a few messages a day are"} forwarded.`,
      { label: "This is mine", url: mine },
      "If you know nothing of it, say so, and that account can forward nothing more to you.",
      { label: "This is not mine", url: `${mine}/not-mine` },
      [
        `Nothing happens before you press the button on the page. Both links work for ${LINK_DAYS} days.`,
        "This message was sent by a program; replies to it are not read.",
      ],
    ],
  });
}

export type AskDeps = QueueDeps & LimitDeps & { destinations: Pick<DestinationStore, "ask" | "takeBackAsk"> };

const DAY_MS = 86_400_000;

/**
 * The limit per mailbox counts all accounts, also deleted ones, so that they can't flood a stranger together.
 * @throws what the store throws; nothing was sent then, and the mailbox may be asked again
 */
export async function askForConfirmation(
  deps: AskDeps,
  settings: ConfirmationSettings,
  pair: Pair & Pick<AskInput, "isByOwner">,
): Promise<AskDecision> {
  const token = newLinkToken(deps.random);
  const input: AskInput = {
    ...pair,
    id: deps.random.uuid(),
    tokenHash: hashLinkToken(token),
    tokenExpiresAt: new Date(deps.clock.now().getTime() + LINK_DAYS * DAY_MS),
  };
  const decision = await deps.destinations.ask(input);
  if (decision.kind !== "ask") return decision;
  try {
    await takeLimit(deps, "confirmation_mailbox", { key: sameMailbox(pair.address) });
    const write = (head: OwnMessageHead) => confirmationMessage({ ...head, ...settings, token });
    await queueOwnMessage(deps, settings, { ...pair, purpose: "confirm", write });
  } catch (thrown) {
    await deps.destinations.takeBackAsk(input);
    if (!(thrown instanceof AppError && thrown.code === "rate_limited")) throw thrown;
    return { kind: "too_soon", nextAt: thrown.details.resetAt ?? null };
  }
  return decision;
}

type RequestDeps = Parameters<typeof askForConfirmation>[0] & Pick<CoreDeps, "aliases" | "mailboxes" | "confirmation">;

/** Asks at the owner's request, first or again. @throws AppError `not_found`, `rate_limited` within a day, `invalid` */
export async function requestConfirmation(deps: RequestDeps, pair: Pair): Promise<ConfirmationState> {
  if (deps.confirmation === null) throw refusal("This server asks for no confirmations.");
  const address = await findDestination(deps, pair);
  if (address === null) throw notFound("None of your aliases forwards to this mailbox.");
  const decision = await askForConfirmation(deps, deps.confirmation, { ...pair, address, isByOwner: true });
  if (decision.kind === "known") return decision.state;
  if (decision.kind === "ask") return "asked";
  if (decision.kind === "too_many")
    throw refusal(
      `${bounds.mailboxConfirmations.waiting} of your mailboxes are not confirmed. Please confirm one of them first.`,
    );
  if (decision.nextAt === null) throw refusal("This mailbox was asked three times. It is not asked again.");
  const message = "This mailbox was asked within the last day. Please wait before you ask again.";
  throw new AppError("rate_limited", { message, resetAt: decision.nextAt });
}

const refusal = (message: string) => new AppError("invalid", { message });

/** Only a mailbox of an alias or of the list of mailboxes gets a confirmation message. */
async function findDestination(
  { aliases, mailboxes }: Pick<CoreDeps, "aliases" | "mailboxes">,
  { userId, address }: Pair,
) {
  const wanted = sameMailbox(address);
  const found = await mapInSlices(await aliases.listForUser(userId), (alias) =>
    mailboxesOf(alias).find((one) => sameMailbox(one) === wanted),
  );
  const listed = (await mailboxes.list(userId)).find((one) => sameMailbox(one.address) === wanted);
  return found.find((one) => one !== undefined) ?? listed?.address ?? null;
}

type ReadDeps = Pick<CoreDeps, "destinations" | "users">;

const unknownLink = () => notFound("This link is unknown or has expired.");

/** A confirmation link works until it expires, even after use. @throws AppError `not_found` */
export async function readLink(deps: ReadDeps, token: string): Promise<ConfirmationLinkStanding> {
  return standingOf(deps, await findLink(deps, token));
}

interface LinkDecision {
  token: string;
  choice: ConfirmationChoice;
  signedInUserId: string | null;
}

/**
 * Idempotent. For a reader signed in to the link's account, also confirms the same address as its e-mail; for anybody
 * else the account may be a stranger's. @throws AppError `not_found`
 */
export async function decideByLink(
  deps: ReadDeps & Pick<CoreDeps, "accountLinks" | "notices" | "clock" | "random">,
  { token, choice, signedInUserId }: LinkDecision,
): Promise<ConfirmationLinkStanding> {
  const decided = await deps.destinations.decideByLink(hashLinkToken(token), choice);
  if (decided === null) throw unknownLink();
  for (const ended of decided.ended) await notifyOwner(deps, ended);
  const link = await findLink(deps, token);
  const { state, userId, address } = link;
  if (choice === "mine" && state === "confirmed" && userId === signedInUserId && address !== null)
    await deps.accountLinks.confirmSameEmail(userId, address);
  return standingOf(deps, link);
}

async function findLink({ destinations }: Pick<CoreDeps, "destinations">, token: string): Promise<AskedLink> {
  const link = await destinations.readLink(hashLinkToken(token));
  if (link === null) throw unknownLink();
  return link;
}

async function standingOf(
  { users }: Pick<CoreDeps, "users">,
  { state, userId, address }: AskedLink,
): Promise<ConfirmationLinkStanding> {
  if (address === null || (state !== "asked" && state !== "confirmed")) return { state };
  const named = { state, mailbox: address };
  if (state === "asked") return named;
  const { email = null, emailConfirmedAt = null } = (await users.find(userId)) ?? {};
  if (email === null || exactMailbox(email) !== exactMailbox(address)) return named;
  return { ...named, signIn: emailConfirmedAt === null ? "open" : "confirmed" };
}

async function notifyOwner(
  { notices, clock, random }: Pick<CoreDeps, "notices" | "clock" | "random">,
  { userId, address }: DecidedByLink["ended"][number],
): Promise<void> {
  const who = address === null ? "a mailbox you forwarded to" : address;
  const text = `Whoever reads ${who} says that it is not yours. Nothing is forwarded to it any more.`;
  await notices.insert({ id: random.uuid(), userId, kind: "not_yours", aliasId: null, text, createdAt: clock.now() });
}
