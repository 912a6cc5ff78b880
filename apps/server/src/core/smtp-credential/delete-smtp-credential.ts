import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { SmtpCredentialKey } from "./smtp-credential.ts";

/** Deletes the credentials; the password is invalid once this resolves. @throws AppError `not_found`, `rate_limited` */
export async function deleteSmtpCredential(
  deps: Pick<CoreDeps, "smtpCredentials" | "clock" | "rateLimits" | "limitRules">,
  key: SmtpCredentialKey,
): Promise<void> {
  await takeLimit(deps, "secret_change", { userId: key.userId });
  if (!(await deps.smtpCredentials.delete(key)))
    throw new AppError("not_found", { message: "SMTP credentials not found" });
}
