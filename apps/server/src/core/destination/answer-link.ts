import type { ConfirmationChoice, ConfirmationState } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import type { Answered } from "./destination.ts";

const unknownLink = () => new AppError("not_found", { message: "This link is unknown or has expired." });

/**
 * Returns the state of the mailbox that an answer link is about, without changing it. A link works until it expires,
 * even after it was used to answer.
 * @throws AppError `not_found` when the link is unknown or has expired
 */
export async function readLink(
  { destinations }: Pick<CoreDeps, "destinations">,
  token: string,
): Promise<ConfirmationState> {
  const state = await destinations.stateOfLink(hashLinkToken(token));
  if (state === null) throw unknownLink();
  return state;
}

/**
 * Records the answer of the mailbox's reader; repeating an answer changes nothing. Accounts that may no longer forward
 * to the mailbox get a notice.
 * @throws AppError `not_found`
 */
export async function answerLink(
  deps: Pick<CoreDeps, "destinations" | "notices" | "clock" | "random">,
  { token, choice }: { token: string; choice: ConfirmationChoice },
): Promise<ConfirmationState> {
  const answered = await deps.destinations.answerLink(hashLinkToken(token), choice);
  if (answered === null) throw unknownLink();
  for (const ended of answered.ended) await notifyOwner(deps, ended);
  return answered.state;
}

async function notifyOwner(
  { notices, clock, random }: Pick<CoreDeps, "notices" | "clock" | "random">,
  { userId, address }: Answered["ended"][number],
): Promise<void> {
  const who = address === null ? "a mailbox you forwarded to" : address;
  const text = `Whoever reads ${who} says that it is not yours. Nothing is forwarded to it any more.`;
  await notices.insert({ id: random.uuid(), userId, kind: "not_yours", aliasId: null, text, createdAt: clock.now() });
}
