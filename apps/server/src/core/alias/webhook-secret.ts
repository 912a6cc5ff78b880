/** The secret that signs an alias' webhook calls, in the text form of Standard Webhooks: `whsec_` and base64. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";

const SECRET_BYTES = 32;

interface OwnAlias {
  userId: string;
  aliasId: string;
}

/** Reads the secret of an alias' webhook calls. @throws AppError `not_found` */
export async function readWebhookSecret(
  deps: Pick<CoreDeps, "aliases">,
  { userId, aliasId }: OwnAlias,
): Promise<string> {
  const route = await deps.aliases.findRouteById(aliasId);
  if (route === null || route.userId !== userId) throw aliasNotFound();
  return asText(route.webhookSecret);
}

/** Replaces the secret, also for calls that are already queued. @throws AppError `not_found`, `rate_limited` */
export async function renewWebhookSecret(
  deps: Pick<CoreDeps, "aliases" | "random" | "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId }: OwnAlias,
): Promise<string> {
  await takeLimit(deps, "secret_change", { userId });
  const webhookSecret = deps.random.bytes(SECRET_BYTES);
  if ((await deps.aliases.update(userId, aliasId, () => ({ webhookSecret }))) === null) throw aliasNotFound();
  return asText(webhookSecret);
}

const asText = (secret: Buffer): string => `whsec_${secret.toString("base64")}`;
const aliasNotFound = (): AppError => new AppError("not_found", { message: "Alias not found" });
