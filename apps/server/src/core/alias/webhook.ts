/** An alias' webhook: its secret, in the text form of Standard Webhooks (`whsec_` and base64), and its pause. */
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import type { AliasRouting, Destination } from "./alias.ts";
import type { AliasStore } from "./alias-store.ts";

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

export interface GoneWebhook {
  userId: string;
  aliasId: string;
  url: string;
  at: Date;
}

/** Pauses a webhook that answered 410 (Gone): it gets no calls until the alias' destinations are saved again. */
export async function pauseWebhook(
  { aliases }: { aliases: Pick<AliasStore, "update"> },
  { userId, aliasId, url, at }: GoneWebhook,
): Promise<void> {
  await aliases.update(userId, aliasId, ({ routing }) => {
    const now = routing.state === "active" ? routing.destinations : routing.lastDestinations;
    if (!now.some((one) => isCalled(one, url))) return {};
    const next = now.map((one) => (isCalled(one, url) ? { ...one, pausedAt: at.toISOString() } : one));
    return { routing: withDestinations(routing, next) };
  });
}

function isCalled(destination: Destination, url: string): boolean {
  return destination.kind === "webhook" && destination.url === url && destination.pausedAt === undefined;
}

function withDestinations({ state }: AliasRouting, destinations: Destination[]): AliasRouting {
  return state === "active" ? { state, destinations } : { state, lastDestinations: destinations };
}
