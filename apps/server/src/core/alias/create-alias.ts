import type { CallerKind } from "../api-key.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import type { Alias, AliasToInsert, Destination } from "./alias.ts";
import {
  confirmedAmong,
  domainErrors,
  isOnOwnDomain,
  loopErrors,
  type OperatorDomains,
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

/** @throws AppError `invalid`, `alias_reserved`, `alias_taken`, `alias_released`; `rate_limited` for valid requests */
export async function createAlias(
  deps: Pick<CoreDeps, "aliases" | "destinations" | "mailboxes" | "confirmation" | "mailDomains"> &
    Pick<CoreDeps, "random" | "clock" | "rateLimits" | "limitRules">,
  input: NewAlias,
  by: CallerKind = "session",
): Promise<Alias> {
  refuseFieldErrors({
    ...domainErrors(input, deps.mailDomains),
    ...loopErrors("forwardTo", input.destinations, deps.mailDomains),
  });
  refuseReservedName(input, deps.mailDomains);
  await takeLimit(deps, "alias_create", { userId: input.userId });
  // After the rate limit, so that an account can't find out of many mailboxes whether they have blocked us.
  await refuseBlocked(deps, "forwardTo", input.destinations);
  if (by === "key") {
    const confirmed = await confirmedAmong(deps, input.userId, input.destinations);
    refuseUnconfirmed("forwardTo", { wanted: input.destinations, confirmed });
  }
  const alias = newAlias(deps, input);
  await deps.aliases.insert(alias);
  return alias;
}

type NewAliasDeps = Pick<CoreDeps, "random" | "clock"> & { mailDomains: OperatorDomains };

export function newAlias({ random, clock, mailDomains }: NewAliasDeps, input: NewAlias): AliasToInsert {
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
    isOnOwnDomain: isOnOwnDomain(input, mailDomains),
  };
}
