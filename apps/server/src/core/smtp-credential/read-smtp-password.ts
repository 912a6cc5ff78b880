import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/**
 * Reads the SMTP password of an alias.
 * @throws AppError `not_found` when the alias does not belong to this user or has no credentials
 */
export async function readSmtpPassword(
  deps: Pick<CoreDeps, "smtpCredentials">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<string> {
  const password = await deps.smtpCredentials.readPassword(userId, aliasId);
  if (password === null) throw new AppError("not_found", { message: "SMTP credentials not found" });
  return password;
}
