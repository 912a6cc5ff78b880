import type { AliasRouting, Destination } from "./alias.ts";

export interface RoutingInput {
  active?: boolean;
  destinations?: Destination[];
  /** Destinations for when a paused alias is activated again; ignored for an alias that stays active. */
  lastDestinations?: Destination[];
}

/**
 * The routing of an alias after a change request. New destinations of a paused alias do not activate it: they apply
 * once it is activated.
 */
export function nextRouting(now: AliasRouting, input: RoutingInput): AliasRouting {
  const isPaused = now.state === "paused";
  const current = isPaused ? now.lastDestinations : now.destinations;
  const isOrBecomesPaused = isPaused || input.active === false;
  const destinations = input.destinations ?? (isOrBecomesPaused ? input.lastDestinations : undefined) ?? current;
  return (input.active ?? !isPaused)
    ? { state: "active", destinations }
    : { state: "paused", lastDestinations: destinations };
}
