import type { ConfirmationState } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { mapInSlices } from "../fair-queue/slices.ts";
import { askForConfirmation } from "./ask-for-confirmation.ts";
import { WAITING_MAILBOXES_MAX } from "./confirmation-rules.ts";
import type { Pair } from "./destination.ts";
import { sameMailbox } from "./same-mailbox.ts";
import { mailboxesOf } from "./unconfirmed-mailboxes.ts";

type RequestDeps = Parameters<typeof askForConfirmation>[0] & Pick<CoreDeps, "aliases" | "mailboxes" | "confirmation">;

/**
 * Sends the confirmation message, first or again, when the owner requests it.
 * @returns the mailbox's state
 * @throws AppError `not_found` when the mailbox is not among the account's, `rate_limited` within a day,
 * `invalid` when the maximum of messages or of unconfirmed mailboxes is reached, or when this server asks for no
 * confirmations
 */
export async function requestConfirmation(deps: RequestDeps, pair: Pair): Promise<ConfirmationState> {
  if (deps.confirmation === null) throw refusal("This server asks for no confirmations.");
  const address = await findDestination(deps, pair);
  if (address === null) throw new AppError("not_found", { message: "None of your aliases forwards to this mailbox." });
  const decision = await askForConfirmation(deps, deps.confirmation, { ...pair, address, isByOwner: true });
  if (decision.kind === "known") return decision.state;
  if (decision.kind === "ask") return "asked";
  if (decision.kind === "too_many")
    throw refusal(`${WAITING_MAILBOXES_MAX} of your mailboxes are not confirmed. Please confirm one of them first.`);
  if (decision.nextAt === null) throw refusal("This mailbox was asked three times. It is not asked again.");
  const message = "This mailbox was asked within the last day. Please wait before you ask again.";
  throw new AppError("rate_limited", { message, resetAt: decision.nextAt });
}

const refusal = (message: string) => new AppError("invalid", { message });

/**
 * Finds the mailbox among the destinations of aliases and the account's list of mailboxes, spelled as stored there. No
 * other address gets a confirmation message.
 */
async function findDestination(
  { aliases, mailboxes }: Pick<CoreDeps, "aliases" | "mailboxes">,
  { userId, address }: Pair,
) {
  const wanted = sameMailbox(address);
  const found = await mapInSlices(await aliases.listForUser(userId), (alias) =>
    mailboxesOf(alias).find((it) => sameMailbox(it) === wanted),
  );
  const listed = (await mailboxes.list(userId)).find((it) => sameMailbox(it.address) === wanted);
  return found.find((it) => it !== undefined) ?? listed?.address ?? null;
}
