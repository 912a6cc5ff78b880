/** Asks a mailbox whether it is the owner's: one message of ours through the queue, when the rules allow one. */
import { makeMessageId, parseAddress, stuff, toBase32 } from "@kauke/mail-rfc";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { hashLinkToken, newLinkToken } from "./confirmation-link.ts";
import { confirmationMessage } from "./confirmation-message.ts";
import { linkDays } from "./confirmation-rules.ts";
import type { AskDecision, AskWish, ConfirmationSettings, Pair } from "./destination.ts";
import { sameMailbox } from "./same-mailbox.ts";

export type AskDeps = Pick<
  CoreDeps,
  "destinations" | "deliveries" | "bodies" | "rateLimits" | "limitRules" | "clock" | "random"
>;

const dayMs = 86_400_000;

/**
 * Counted for the mailbox over all accounts, and outliving them: many accounts together must not fill a stranger's mailbox.
 * @throws what the store throws; then nothing was asked and may be asked again
 */
export async function askForConfirmation(
  deps: AskDeps,
  settings: ConfirmationSettings,
  pair: Pair & Pick<AskWish, "isByOwner">,
): Promise<AskDecision> {
  const token = newLinkToken(deps.random);
  const wish: AskWish = {
    ...pair,
    id: deps.random.uuid(),
    tokenHash: hashLinkToken(token),
    tokenExpiresAt: new Date(deps.clock.now().getTime() + linkDays * dayMs),
  };
  const decision = await deps.destinations.ask(wish);
  if (decision.kind !== "ask") return decision;
  try {
    await takeLimit(deps, "confirmation_mailbox", { key: sameMailbox(pair.address) });
    await queue(deps, settings, { ...pair, token });
  } catch (thrown) {
    await deps.destinations.takeBackAsk(wish);
    if (!(thrown instanceof AppError && thrown.code === "rate_limited")) throw thrown;
    return { kind: "too_soon", nextAt: thrown.details.resetAt ?? null };
  }
  return decision;
}

async function queue(
  { deliveries, bodies, clock, random }: AskDeps,
  { origin, domain }: ConfirmationSettings,
  { userId, address, token }: Pair & { token: string },
): Promise<void> {
  const at = clock.now();
  const id = random.uuid();
  const from = `no-reply@${domain}`;
  const messageId = makeMessageId(random.bytes(16), domain);
  const boundary = toBase32(random.bytes(16));
  const wire = stuff(confirmationMessage({ from, mailbox: address, origin, token, messageId, boundary, at }));
  const isBeyondAscii = parseAddress(address).needsSmtpUtf8;
  const envelope = {
    envelopeFrom: from,
    ...{ helo: "", clientAddress: "", protocol: "ESMTP" as const },
    receivedAt: at,
    eightBit: isBeyondAscii,
    smtpUtf8: isBeyondAscii,
  };
  const target = { purpose: "confirm", destination: { kind: "mailbox", address }, aliasAddress: from } as const;
  const delivery = { id: random.uuid(), messageId: id, aliasId: null, userId, target, attempts: 0, createdAt: at };
  await bodies.put(id, [wire]);
  try {
    const message = { id, envelope, sizeBytes: wire.length, createdAt: at };
    await deliveries.keep(message, [{ ...delivery, notBefore: at, lease: null, lastFailure: null }]);
  } catch (thrown) {
    await bodies.delete(id).catch(() => {});
    throw thrown;
  }
}
