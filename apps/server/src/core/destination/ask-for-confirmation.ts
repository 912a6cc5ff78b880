/** Asks a mailbox by mail whether it belongs to the account's owner, if the rules allow another message. */
import { AppError } from "../app-error.ts";
import { hashLinkToken, newLinkToken } from "../own-mail/link-token.ts";
import type { OwnMessageHead } from "../own-mail/own-message.ts";
import { type QueueDeps, queueOwnMessage } from "../own-mail/queue-own-message.ts";
import { type LimitDeps, takeLimit } from "../rate-limit/take-limit.ts";
import { confirmationMessage } from "./confirmation-message.ts";
import { LINK_DAYS } from "./confirmation-rules.ts";
import type { AskDecision, AskInput, ConfirmationSettings, DestinationStore, Pair } from "./destination.ts";
import { sameMailbox } from "./same-mailbox.ts";

export type AskDeps = QueueDeps & LimitDeps & { destinations: Pick<DestinationStore, "ask" | "takeBackAsk"> };

const DAY_MS = 86_400_000;

/**
 * Mails the mailbox a link to confirm, if the rules and the limit per mailbox allow it. That limit counts the mailbox
 * over all accounts, deleted ones included, so that many accounts together cannot flood a stranger's mailbox.
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
    const write = (head: OwnMessageHead) => confirmationMessage({ ...head, origin: settings.origin, token });
    await queueOwnMessage(deps, settings, { ...pair, purpose: "confirm", write });
  } catch (thrown) {
    await deps.destinations.takeBackAsk(input);
    if (!(thrown instanceof AppError && thrown.code === "rate_limited")) throw thrown;
    return { kind: "too_soon", nextAt: thrown.details.resetAt ?? null };
  }
  return decision;
}
