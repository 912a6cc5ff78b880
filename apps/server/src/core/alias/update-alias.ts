import { formatForwardTo } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { refuseBlocked } from "../destination/refuse-blocked.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { Alias, AliasSealing } from "./alias.ts";
import { ownDomainErrors, refuseFieldErrors, refuseReservedName } from "./alias-rules.ts";
import type { AliasChange } from "./alias-store.ts";
import { nextRouting, type RoutingWish } from "./next-routing.ts";

/** What is left out stays. */
export interface AliasWish extends RoutingWish {
  name?: string;
  /** `null` clears. */
  notes?: string | null;
  sealTo?: AliasSealing;
  /** As it was read before the change was written; left out: the change is made whatever it is now. */
  before?: { alias: string; forwardTo: string; notes: string | null };
}

/** @throws AppError `invalid`, `alias_reserved`, `alias_taken`, `alias_released`, `alias_changed`, `rate_limited`, `not_found` */
export async function updateAlias(
  deps: Pick<CoreDeps, "aliases" | "destinations" | "ownDomains" | "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId }: { userId: string; aliasId: string },
  wish: AliasWish,
): Promise<Alias> {
  refuseFieldErrors({
    ...ownDomainErrors("forwardTo", wish.destinations, deps.ownDomains),
    ...ownDomainErrors("lastForwardTo", wish.lastDestinations, deps.ownDomains),
  });
  await takeLimit(deps, "alias_change", { userId });
  await countRename(deps, { userId, aliasId }, wish.name);
  await refuseBlocked(deps, "forwardTo", wish.destinations);
  await refuseBlocked(deps, "lastForwardTo", wish.lastDestinations);
  const changed = await deps.aliases.update(userId, aliasId, (alias) => decideChange(alias, wish));
  if (changed === null) throw new AppError("not_found", { message: "Alias not found" });
  return changed;
}

/** Renaming reserves a new address and holds the old one for 30 days, so it counts against the limit of new aliases. */
async function countRename(
  deps: Pick<CoreDeps, "aliases" | "clock" | "rateLimits" | "limitRules">,
  { userId, aliasId }: { userId: string; aliasId: string },
  name: string | undefined,
): Promise<void> {
  const alias = name === undefined ? null : await deps.aliases.find(userId, aliasId);
  if (alias === null || alias.name.toLowerCase() === name?.toLowerCase()) return;
  await takeLimit(deps, "alias_create", { userId });
}

function decideChange(alias: Alias, wish: AliasWish): AliasChange {
  if (wish.before !== undefined && !isStill(alias, wish.before)) throw new AppError("alias_changed");
  // A name from before the reserved list grew may be kept, and its letter case changed.
  if (wish.name !== undefined && wish.name.toLowerCase() !== alias.name.toLowerCase()) refuseReservedName(wish.name);
  const change: AliasChange = {};
  if (isRoutingWish(wish)) change.routing = nextRouting(alias.routing, wish);
  if (wish.name !== undefined) change.name = wish.name;
  if (wish.notes !== undefined) change.notes = wish.notes;
  if (wish.sealTo !== undefined) change.sealTo = wish.sealTo;
  return change;
}

/** Pausing in the meantime is no change: an edit leaves that as it is. */
function isStill({ name, notes, routing }: Alias, before: NonNullable<AliasWish["before"]>): boolean {
  const destinations = routing.state === "paused" ? routing.lastDestinations : routing.destinations;
  return name === before.alias && notes === before.notes && formatForwardTo(destinations) === before.forwardTo;
}

function isRoutingWish({ active, destinations, lastDestinations }: AliasWish): boolean {
  return active !== undefined || destinations !== undefined || lastDestinations !== undefined;
}
