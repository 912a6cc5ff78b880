import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/**
 * Deletes the alias and its dependent rows; the address stays reserved for this account.
 * @throws AppError `not_found`
 */
export async function deleteAlias(
  deps: Pick<CoreDeps, "aliases">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<void> {
  if (!(await deps.aliases.delete(userId, aliasId))) throw new AppError("not_found", { message: "Alias not found" });
}
