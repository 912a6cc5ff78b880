import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/**
 * Deletes the alias and its dependent rows; the address stays reserved for this account.
 * @param clientAddress network of the client, if it is known
 * @throws AppError `not_found`; `rate_limited` when the account has too many reserved addresses
 */
export async function deleteAlias(
  deps: Pick<CoreDeps, "aliases">,
  { userId, aliasId, clientAddress = null }: { userId: string; aliasId: string; clientAddress?: string | null },
): Promise<void> {
  if (!(await deps.aliases.delete(userId, aliasId, clientAddress)))
    throw new AppError("not_found", { message: "Alias not found" });
}
