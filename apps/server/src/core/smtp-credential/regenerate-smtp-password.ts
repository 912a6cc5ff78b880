import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { newSmtpPassword } from "./new-password.ts";
import type { SmtpCredential, SmtpCredentialKey } from "./smtp-credential.ts";

/** Replaces the password; the old one is invalid once this resolves. @throws AppError `not_found`, `rate_limited` */
export async function regenerateSmtpPassword(
  deps: Pick<CoreDeps, "smtpCredentials" | "random" | "clock" | "rateLimits" | "limitRules">,
  key: SmtpCredentialKey,
): Promise<{ credential: SmtpCredential; password: string }> {
  await takeLimit(deps, "secret_change", { userId: key.userId });
  const password = newSmtpPassword(deps.random);
  const credential = await deps.smtpCredentials.replacePassword(key, password);
  if (credential === null) throw new AppError("not_found", { message: "SMTP credentials not found" });
  return { credential, password };
}
