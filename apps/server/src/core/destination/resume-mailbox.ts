import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { Pair } from "./destination.ts";

/** Resumes a suspended mailbox at the owner's request and resets its count of refusals. @throws AppError `not_found` */
export async function resumeMailbox(
  { missingMailboxes }: Pick<CoreDeps, "missingMailboxes">,
  { userId, address }: Pair,
): Promise<void> {
  if (await missingMailboxes.clear(userId, address)) return;
  throw new AppError("not_found", { message: "This mailbox is not suspended." });
}
