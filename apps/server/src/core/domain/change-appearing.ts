/** Changes which aliases appear on an own domain, and refuses the name of one for good. */
import { appearMessages, type ChangeAccountDomainBody } from "@kauke/contract";
import { AppError, fieldError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { takeLimit } from "../take-limit.ts";
import type { AccountDomain } from "./account-domain.ts";
import { withNever } from "./appear-rules.ts";
import { domainNotFound } from "./own-domains.ts";

type Deps = Pick<CoreDeps, "accountDomains" | "clock" | "rateLimits" | "limitRules">;

/** @throws AppError `not_found`, `rate_limited`; `invalid` for prefixes as the rule, of which there are none */
export async function changeAppearing(
  deps: Deps,
  { userId, domainId }: { userId: string; domainId: string },
  { appear, prefixes, neverNames }: ChangeAccountDomainBody,
): Promise<AccountDomain> {
  await takeLimit(deps, "domain_change", { userId });
  const isOwn = await deps.accountDomains.changeAppearing({ userId, id: domainId }, (rules) => {
    const next = {
      appear: appear ?? rules.appear,
      prefixes: prefixes ?? rules.prefixes,
      neverNames: neverNames ?? rules.neverNames,
    };
    if (next.appear === "prefixes" && next.prefixes.length === 0)
      throw fieldError("prefixes", appearMessages.prefixesNone);
    return next;
  });
  const changed = isOwn ? await deps.accountDomains.find(userId, domainId) : null;
  if (changed === null) throw domainNotFound();
  return changed;
}

/**
 * The name is refused first, so that mail that arrives in between does not make the alias again.
 * @throws AppError `not_found`; `not_possible` on other domains, or with too many refused names; `rate_limited`
 */
export async function refuseAlias(
  deps: Deps & Pick<CoreDeps, "aliases">,
  { userId, aliasId, clientAddress = null }: { userId: string; aliasId: string; clientAddress?: string | null },
): Promise<void> {
  const alias = await deps.aliases.find(userId, aliasId);
  if (alias === null) throw aliasNotFound();
  await takeLimit(deps, "domain_change", { userId });
  const id = (await deps.accountDomains.list(userId)).find(({ domain }) => domain === alias.domain)?.id;
  const isOwn =
    id !== undefined &&
    (await deps.accountDomains.changeAppearing({ userId, id }, (rules) => {
      const next = withNever(rules, alias.name);
      if (next === "full") throw new AppError("not_possible", { message: appearMessages.neverMany });
      return next;
    }));
  if (!isOwn) throw new AppError("not_possible", { message: appearMessages.notOwn });
  if (!(await deps.aliases.delete(userId, aliasId, clientAddress))) throw aliasNotFound();
}

const aliasNotFound = (): AppError => notFound("Alias not found");
