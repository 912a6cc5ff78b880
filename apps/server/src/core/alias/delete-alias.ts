import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/** Deletes the alias with all that hangs on it; its address is held back for this account. @throws AppError `not_found` */
export async function deleteAlias(
  deps: Pick<CoreDeps, "aliases">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<void> {
  if (!(await deps.aliases.delete(userId, aliasId))) throw new AppError("not_found", { message: "Alias not found" });
}
