/**
 * Groups the logins of an export by what a person chooses from: all aliases of one service form a group, every other
 * address is its own group. Pure.
 */
import { aliasService } from "./alias-services.ts";
import type { Login } from "./password-export.ts";

export interface LoginGroup {
  /** Name of the alias service, or the address that the group's logins share. */
  name: string;
  isService: boolean;
  logins: Login[];
}

interface Own {
  /** Mail domains of this server. */
  domains: readonly string[];
}

/**
 * Groups the logins of an export: alias services first, then addresses, the larger groups first in each part.
 * @param own this server's domains; addresses at them are left out, since they need no change
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
