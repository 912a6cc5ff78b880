import type { CallerKind } from "../api-key.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import type { Alias, Destination } from "./alias.ts";
import {
  confirmedAmong,
  domainErrors,
  ownDomainErrors,
  refuseBlocked,
  refuseFieldErrors,
  refuseReservedName,
  refuseUnconfirmed,
} from "./alias-rules.ts";

export interface NewAlias {
  userId: string;
  name: string;
  domain: string;
  destinations: Destination[];
  notes: string | null;
  labels?: readonly string[] | undefined;
}

/**
 * Requests with invalid fields or a reserved name do not count against the rate limit for new aliases.
 * @param by an API key may point the alias only at confirmed mailboxes
 * @throws AppError `invalid`, `alias_reserved`, `alias_taken`, `alias_released`, `rate_limited`
 */
export async function createAlias(
  deps: Pick<CoreDeps, "aliases" | "destinations" | "mailboxes" | "confirmation" | "ownDomains"> &
    Pick<CoreDeps, "random" | "clock" | "rateLimits" | "limitRules">,
  input: NewAlias,
  by: CallerKind = "session",
): Promise<Alias> {
  refuseFieldErrors({
    ...domainErrors(input.domain, deps.ownDomains),
    ...ownDomainErrors("forwardTo", input.destinations, deps.ownDomains),
  });
  refuseReservedName(input.name);
  await takeLimit(deps, "alias_create", { userId: input.userId });
  // After the rate limit, so that an account cannot find out for many mailboxes whether their owners have
  // blocked us.
  await refuseBlocked(deps, "forwardTo", input.destinations);
  if (by === "key") {
    const confirmed = await confirmedAmong(deps, input.userId, input.destinations);
    refuseUnconfirmed("forwardTo", { wanted: input.destinations, confirmed });
  }
  const alias = newAlias(deps, input);
  await deps.aliases.insert(alias);
  return alias;
}

export function newAlias({ random, clock }: Pick<CoreDeps, "random" | "clock">, input: NewAlias): Alias {
  return {
    id: random.uuid(),
    userId: input.userId,
    name: input.name,
    domain: input.domain,
    routing: { state: "active", destinations: input.destinations },
    notes: input.notes,
    providerId: null,
    sealTo: "account",
    labels: input.labels ?? [],
    pinned: false,
    writeByAddress: false,
    createdAt: clock.now(),
  };
}
