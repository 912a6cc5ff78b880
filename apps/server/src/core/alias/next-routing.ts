import type { AliasRouting, Destination } from "./alias.ts";

export interface RoutingWish {
  active?: boolean;
  destinations?: Destination[];
  /** What a paused alias comes back with; says nothing to one that stays active. */
  lastDestinations?: Destination[];
}

/**
 * Where an alias leads after a wish: destinations given to a paused alias are kept for its return, it stays paused unless
 * the wish says otherwise.
 */
export function nextRouting(now: AliasRouting, wish: RoutingWish): AliasRouting {
  const isPaused = now.state === "paused";
  const current = isPaused ? now.lastDestinations : now.destinations;
  const pausesOrIs = isPaused || wish.active === false;
  const destinations = wish.destinations ?? (pausesOrIs ? wish.lastDestinations : undefined) ?? current;
  return (wish.active ?? !isPaused)
    ? { state: "active", destinations }
    : { state: "paused", lastDestinations: destinations };
}
