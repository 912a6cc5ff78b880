/**
 * Groups the logins of an export by what a person decides about: aliases of another service together, every other
 * address on its own. Pure.
 */
import { aliasService } from "./alias-services.ts";
import type { Login } from "./password-export.ts";

export interface LoginGroup {
  /** Name of the service, or the address. */
  name: string;
  isService: boolean;
  logins: Login[];
}

interface Own {
  /** Domains of this server. */
  domains: readonly string[];
}

/**
 * The groups of an export, services first, each with the larger ones first.
 * @param own addresses at these domains are left out: they need no change
 */
export function groupLogins(logins: readonly Login[], { domains }: Own): LoginGroup[] {
  const groups = new Map<string, LoginGroup>();
  for (const login of logins) {
    const domain = login.address.slice(login.address.lastIndexOf("@") + 1).toLowerCase();
    if (domains.includes(domain)) continue;
    const service = aliasService(login.address);
    const name = service ?? login.address.toLowerCase();
    const group = groups.get(name) ?? { name, isService: service !== null, logins: [] };
    group.logins.push(login);
    groups.set(name, group);
  }
  return [...groups.values()].sort(
    (a, b) =>
      Number(b.isService) - Number(a.isService) || b.logins.length - a.logins.length || (a.name < b.name ? -1 : 1),
  );
}
