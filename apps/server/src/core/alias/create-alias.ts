import type { CoreDeps } from "../core-deps.ts";
import { refuseBlocked } from "../destination/refuse-blocked.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import type { Alias, Destination } from "./alias.ts";
import { domainErrors, ownDomainErrors, refuseFieldErrors, refuseReservedName } from "./alias-rules.ts";

export interface NewAlias {
  userId: string;
  name: string;
  /** One of our own domains, lower case. */
  domain: string;
  destinations: Destination[];
  notes: string | null;
}

/**
 * Creates an active alias. Only requests that pass validation count against the rate limit.
 * @throws AppError `invalid`, `alias_reserved`, `alias_taken`, `alias_released`, `rate_limited`
 */
export async function createAlias(
  deps: Pick<CoreDeps, "aliases" | "destinations" | "ownDomains" | "random" | "clock" | "rateLimits" | "limitRules">,
  wish: NewAlias,
): Promise<Alias> {
  refuseFieldErrors({
    ...domainErrors(wish.domain, deps.ownDomains),
    ...ownDomainErrors("forwardTo", wish.destinations, deps.ownDomains),
  });
  refuseReservedName(wish.name);
  await takeLimit(deps, "alias_create", { userId: wish.userId });
  // Checked after the rate limit, so that an account cannot find out for many mailboxes whether their owners blocked
  // us.
  await refuseBlocked(deps, "forwardTo", wish.destinations);
  const alias: Alias = {
    id: deps.random.uuid(),
    userId: wish.userId,
    name: wish.name,
    domain: wish.domain,
    routing: { state: "active", destinations: wish.destinations },
    notes: wish.notes,
    providerId: null,
    sealTo: "account",
    createdAt: deps.clock.now(),
  };
  await deps.aliases.insert(alias);
  return alias;
}
