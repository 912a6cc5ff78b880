import type { CoreDeps } from "../core-deps.ts";

/** Removes the account with all it owns in one go, its sessions on every device included. There is no way back. */
export async function deleteAccount(deps: Pick<CoreDeps, "users">, userId: string): Promise<void> {
  await deps.users.delete(userId);
}
