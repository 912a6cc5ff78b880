import type { AliasRouting, Destination } from "./alias.ts";
import type { AliasStore } from "./alias-store.ts";

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
