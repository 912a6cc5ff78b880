import type { CoreDeps } from "../core-deps.ts";

/**
 * Deletes the account and everything it owns in one transaction, including its sessions on every device. Cannot be
 * undone.
 */
export async function deleteAccount(
  deps: Pick<CoreDeps, "users">,
  { userId, clientAddress }: { userId: string; clientAddress: string },
): Promise<void> {
  await deps.users.delete(userId, clientAddress);
}
