import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { SmtpCredential } from "./smtp-credential.ts";

/** Lists the SMTP credentials of an alias. @throws AppError `not_found` when the alias does not belong to this user */
export async function listSmtpCredentials(
  deps: Pick<CoreDeps, "smtpCredentials">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<SmtpCredential[]> {
  const credentials = await deps.smtpCredentials.listForAlias(userId, aliasId);
  if (credentials === null) throw new AppError("not_found", { message: "Alias not found" });
  return credentials;
}
