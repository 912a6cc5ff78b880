import type { ChangeAccountDomainBody } from "@kauke/contract";
import { refuseRevealingName } from "../alias/display-name.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { MailboxDeps } from "../mailbox/list-mailboxes.ts";
import { takeLimit } from "../take-limit.ts";
import type { AccountDomain } from "./account-domain.ts";
import { changeAppearing } from "./change-appearing.ts";
import { domainNotFound } from "./own-domains.ts";

/** @throws AppError `not_found`, `rate_limited`; `invalid` for a name that reveals a mailbox, or for the rules */
export async function changeDomain(
  deps: MailboxDeps & Pick<CoreDeps, "accountDomains" | "clock" | "rateLimits" | "limitRules">,
  { userId, domainId }: { userId: string; domainId: string },
  { displayName, ...rules }: ChangeAccountDomainBody,
): Promise<AccountDomain> {
  const place = { userId, domainId };
  if (displayName === undefined) return changeAppearing(deps, place, rules);
  await takeLimit(deps, "domain_change", { userId });
  await refuseRevealingName(deps, { userId, name: displayName });
  if (Object.keys(rules).length > 0) await changeAppearing(deps, place, rules);
  const isOwn = await deps.accountDomains.setDisplayName({ userId, id: domainId }, displayName || null);
  const changed = isOwn ? await deps.accountDomains.find(userId, domainId) : null;
  if (changed === null) throw domainNotFound();
  return changed;
}
