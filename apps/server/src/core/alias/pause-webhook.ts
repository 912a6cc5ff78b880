import type { AliasRouting, Destination } from "./alias.ts";
import type { AliasStore } from "./alias-store.ts";

export interface GoneWebhook {
  userId: string;
  aliasId: string;
  url: string;
  at: Date;
}

/** A webhook that answered that it is gone is called no more, until the alias' destinations are saved again. */
export async function pauseWebhook(
  { aliases }: { aliases: Pick<AliasStore, "update"> },
  { userId, aliasId, url, at }: GoneWebhook,
): Promise<void> {
  await aliases.update(userId, aliasId, ({ routing }) => {
    const now = routing.state === "active" ? routing.destinations : routing.lastDestinations;
    if (!now.some((it) => isCalled(it, url))) return {};
    const next = now.map((it) => (isCalled(it, url) ? { ...it, pausedAt: at.toISOString() } : it));
    return { routing: withDestinations(routing, next) };
  });
}

function isCalled(destination: Destination, url: string): boolean {
  return destination.kind === "webhook" && destination.url === url && destination.pausedAt === undefined;
}

function withDestinations({ state }: AliasRouting, destinations: Destination[]): AliasRouting {
  return state === "active" ? { state, destinations } : { state, lastDestinations: destinations };
}
