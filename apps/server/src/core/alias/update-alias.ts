import { formatForwardTo } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { refuseBlocked } from "../destination/refuse-blocked.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { Alias, AliasSealing } from "./alias.ts";
import { ownDomainErrors, refuseFieldErrors, refuseReservedName } from "./alias-rules.ts";
import type { AliasChange } from "./alias-store.ts";
import { nextRouting, type RoutingInput } from "./next-routing.ts";

/** The requested changes; omitted properties stay as they are. */
export interface AliasWish extends RoutingInput {
  name?: string;
  /** New notes of the alias; `null` removes them, absent leaves them unchanged. */
  notes?: string | null;
  sealTo?: AliasSealing;
  /** Values the client last read; the change fails if the alias has others by now. Omitted: no such check. */
  before?: { alias: string; forwardTo: string; notes: string | null };
}

/**
 * Applies the requested changes.
 * @throws AppError `invalid`, `alias_reserved`, `alias_taken`, `alias_released`, `alias_changed`, `rate_limited`,
 * `not_found`
 */
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

/**
 * Renaming takes a new address and reserves the old one for 30 days, so it counts against the limit for new aliases.
 */
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
  // An existing name that became reserved later may stay, and its letter case may change.
  if (wish.name !== undefined && wish.name.toLowerCase() !== alias.name.toLowerCase()) refuseReservedName(wish.name);
  const change: AliasChange = {};
  if (isRoutingInput(wish)) change.routing = nextRouting(alias.routing, wish);
  if (wish.name !== undefined) change.name = wish.name;
  if (wish.notes !== undefined) change.notes = wish.notes;
  if (wish.sealTo !== undefined) change.sealTo = wish.sealTo;
  return change;
}

/** Whether the alias still has the values in `before`; whether it is paused does not matter. */
function isStill({ name, notes, routing }: Alias, before: NonNullable<AliasWish["before"]>): boolean {
  const destinations = routing.state === "paused" ? routing.lastDestinations : routing.destinations;
  return name === before.alias && notes === before.notes && formatForwardTo(destinations) === before.forwardTo;
}

function isRoutingInput({ active, destinations, lastDestinations }: AliasWish): boolean {
  return active !== undefined || destinations !== undefined || lastDestinations !== undefined;
}
