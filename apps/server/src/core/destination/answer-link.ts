import type { ConfirmationChoice, ConfirmationLinkStanding } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { hashLinkToken } from "../own-mail/link-token.ts";
import type { Answered, AskedLink } from "./destination.ts";
import { exactMailbox } from "./same-mailbox.ts";

type ReadDeps = Pick<CoreDeps, "destinations" | "users">;

const unknownLink = () => new AppError("not_found", { message: "This link is unknown or has expired." });

/**
 * Returns what the page of an answer link shows, without changing anything. A link works until it expires, even after
 * it was used to answer.
 * @throws AppError `not_found` when the link is unknown or has expired
 */
export async function readLink(deps: ReadDeps, token: string): Promise<ConfirmationLinkStanding> {
  return standingOf(deps, await findLink(deps, token));
}

interface Answer {
  token: string;
  choice: ConfirmationChoice;
  /** User who is signed in where the link was opened; `null` if nobody is. */
  signedInUserId: string | null;
}

/**
 * Records the answer of the mailbox's reader; repeating an answer changes nothing. Accounts that may no longer forward
 * to the mailbox get a notice. A reader who is signed in to the link's account thereby confirms the same address as the
 * account's e-mail too; anybody else confirms the mailbox alone, since the account may be a stranger's.
 * @throws AppError `not_found`
 */
export async function answerLink(
  deps: ReadDeps & Pick<CoreDeps, "accountLinks" | "notices" | "clock" | "random">,
  { token, choice, signedInUserId }: Answer,
): Promise<ConfirmationLinkStanding> {
  const answered = await deps.destinations.answerLink(hashLinkToken(token), choice);
  if (answered === null) throw unknownLink();
  for (const ended of answered.ended) await notifyOwner(deps, ended);
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
  if (state !== "confirmed" || address === null) return { state };
  const { email = null, emailConfirmedAt = null } = (await users.find(userId)) ?? {};
  if (email === null || exactMailbox(email) !== exactMailbox(address)) return { state };
  return { state, signIn: emailConfirmedAt === null ? "open" : "confirmed" };
}

async function notifyOwner(
  { notices, clock, random }: Pick<CoreDeps, "notices" | "clock" | "random">,
  { userId, address }: Answered["ended"][number],
): Promise<void> {
  const who = address === null ? "a mailbox you forwarded to" : address;
  const text = `Whoever reads ${who} says that it is not yours. Nothing is forwarded to it any more.`;
  await notices.insert({ id: random.uuid(), userId, kind: "not_yours", aliasId: null, text, createdAt: clock.now() });
}
