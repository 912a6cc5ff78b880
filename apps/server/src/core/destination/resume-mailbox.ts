import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { Pair } from "./destination.ts";

/** The owner's button: mail goes to the mailbox again, and its refusals are counted anew. @throws AppError `not_found` */
export async function resumeMailbox(
  { missingMailboxes }: Pick<CoreDeps, "missingMailboxes">,
  { userId, address }: Pair,
): Promise<void> {
  if (await missingMailboxes.clear(userId, address)) return;
  throw new AppError("not_found", { message: "This mailbox is not suspended." });
}
