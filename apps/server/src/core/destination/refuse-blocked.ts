import { aliasMessages } from "@kauke/contract";
import type { Destination } from "../alias/alias.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/** Rejects destinations that block mail from this server. @throws AppError `invalid` */
export async function refuseBlocked(
  { destinations: store }: Pick<CoreDeps, "destinations">,
  field: "forwardTo" | "lastForwardTo",
  destinations: readonly Destination[] = [],
): Promise<void> {
  const addresses = destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
  if (addresses.length === 0) return;
  if (await store.isAnyBlocked(addresses)) throw fieldError(field, aliasMessages.forwardToBlocked);
}
