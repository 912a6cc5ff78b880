import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { newSmtpPassword } from "./new-password.ts";
import type { SmtpCredential } from "./smtp-credential.ts";

/**
 * Creates the credentials of an alias. They are valid at once, but a paused alias may not send.
 * @throws AppError `not_found`, `smtp_credential_exists`, `rate_limited`
 */
export async function createSmtpCredential(
  deps: Pick<CoreDeps, "smtpCredentials" | "random" | "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId }: { userId: string; aliasId: string },
): Promise<{ credential: SmtpCredential; password: string }> {
  await takeLimit(deps, "secret_change", { userId });
  const password = newSmtpPassword(deps.random);
  const input = { id: deps.random.uuid(), userId, aliasId, password, createdAt: deps.clock.now() };
  const credential = await deps.smtpCredentials.insert(input);
  if (credential === null) throw new AppError("not_found", { message: "Alias not found" });
  return { credential, password };
}
