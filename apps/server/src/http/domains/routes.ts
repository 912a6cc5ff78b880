import type { CoreDeps } from "../../core/core-deps.ts";
import { changeDomain } from "../../core/domain/change-domain.ts";
import { checkOwnDomain } from "../../core/domain/check-own-domain.ts";
import { addDomain, removeDomain } from "../../core/domain/own-domains.ts";
import type { Handlers } from "../handler.ts";
import { accountDomainToWire } from "./wire.ts";

export function domainHandlers(deps: CoreDeps) {
  const { domainRules } = deps;
  return {
    async listAccountDomains({ userId }) {
      const domains = await deps.accountDomains.list(userId);
      return { domains: domains.map((domain) => accountDomainToWire(domain, domainRules)), max: domainRules.max };
    },
    async addAccountDomain({ userId, body }) {
      return accountDomainToWire(await addDomain(deps, { userId, name: body.domain }), domainRules);
    },
    async checkAccountDomain({ userId, params }) {
      return accountDomainToWire(await checkOwnDomain(deps, { userId, ...params }), domainRules);
    },
    async changeAccountDomain({ userId, params, body }) {
      return accountDomainToWire(await changeDomain(deps, { userId, ...params }, body), domainRules);
    },
    async deleteAccountDomain({ userId, params, query }) {
      await removeDomain(deps, { userId, ...params, ...query });
      return { message: "Domain removed" };
    },
  } satisfies Partial<Handlers>;
}
