/** All aliases of one service form a group, every other address its own. */

import { t } from "../../../texts/texts.ts";
import type { Login } from "./password-export.ts";

export interface LoginGroup {
  /** Name of the alias service, or the address that the logins share. */
  name: string;
  isService: boolean;
  logins: Login[];
}

interface Own {
  domains: readonly string[];
}

/** Services first, larger groups first. @param own this server's domains, whose addresses need no change */
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

interface AliasService {
  name: string;
  /** This server's domains; their subdomains count too. */
  domains: readonly string[];
}

const services: readonly AliasService[] = [
  {
    name: "SimpleLogin",
    domains: [
      "simplelogin.com",
      "simplelogin.co",
      "simplelogin.io",
      "simplelogin.fr",
      "aleeas.com",
      "slmail.me",
      "slmails.com",
      "silomails.com",
      "8alias.com",
      "8shield.net",
      "dralias.com",
    ],
  },
  { name: "Proton Pass", domains: ["passmail.net", "passmail.com", "passinbox.com", "passfwd.com"] },
  {
    name: "addy.io",
    domains: ["anonaddy.com", "anonaddy.me", "addy.io", "addymail.com", "addy.biz", "4wrd.cc", "mailer.me"],
  },
  { name: "Firefox Relay", domains: ["mozmail.com", "relay.firefox.com"] },
  { name: "DuckDuckGo", domains: ["duck.com"] },
  { name: t("Hide My Email"), domains: ["privaterelay.appleid.com"] },
  { name: "33Mail", domains: ["33mail.com"] },
  { name: "Erine", domains: ["erine.email"] },
];

const byDomain = new Map(services.flatMap(({ name, domains }) => domains.map((domain) => [domain, name] as const)));

/** @example aliasService("ann7@duck.com") // "DuckDuckGo" */
export function aliasService(address: string): string | null {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1).toLowerCase();
  if (domain === "icloud.com") return isHiddenIcloud(address.slice(0, at).toLowerCase()) ? t("Hide My Email") : null;
  const labels = domain.split(".");
  for (let from = 0; from < labels.length - 1; from += 1) {
    const service = byDomain.get(labels.slice(from).join("."));
    if (service !== undefined) return service;
  }
  return null;
}

/** Hide My Email: words and a token such as `gloss_sunbeam_0y`. Ordinary mailboxes may look like it. */
function isHiddenIcloud(name: string): boolean {
  const parts = name.split(/[._-]/);
  const tokens = parts.filter((part) => /^\d[a-z\d]$/.test(part));
  return parts.length === 3 && tokens.length === 1 && parts.filter((part) => /^[a-z]{3,}$/.test(part)).length === 2;
}
