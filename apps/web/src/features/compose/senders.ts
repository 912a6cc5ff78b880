import { type AccountDomainWire, type AliasWire, isDomainOpen, type ResponseOf } from "@kauke/contract";

type Named = ResponseOf<"listAliasesWithSmtp">["aliases"][number];
type Domain = Pick<AccountDomainWire, "domain" | "shownDomain" | "state" | "failingSince">;

/**
 * `ready`: has SMTP credentials; `new`: gets them with its first message; `paused`: can't send; `domain`: can't, because
 * of the records of its domain.
 */
export interface SendingAlias extends Named {
  state: "ready" | "new" | "paused" | "domain";
}

/**
 * Senders in the Dashboard's order, those that can't send last.
 * @param ready refetched per visit, so it wins over `aliases`
 * @param domains own domains of the account
 */
export function sendersOf(
  ready: readonly Named[],
  aliases: readonly AliasWire[],
  domains: readonly Domain[] = [],
): SendingAlias[] {
  const readyById = new Map(ready.map((alias) => [alias.id, alias]));
  const known = new Set(aliases.map(({ id }) => id));
  const held = new Set(domains.filter((domain) => !isDomainOpen(domain)).map(({ domain }) => domain));
  const stateOf = ({ id, active }: AliasWire) => {
    if (readyById.has(id)) return "ready";
    return active ? "new" : "paused";
  };
  const senders = [
    ...ready.filter(({ id }) => !known.has(id)).map((alias): SendingAlias => ({ ...alias, state: "ready" })),
    ...aliases.map((alias): SendingAlias => {
      const { id, alias: name, domain, displayName = readyById.get(id)?.displayName } = alias;
      return { id, alias: name, domain, displayName, state: stateOf(alias) };
    }),
  ].map((sender): SendingAlias => (held.has(sender.domain) ? { ...sender, state: "domain" } : sender));
  return [...senders.filter(canSend), ...senders.filter((sender) => !canSend(sender))];
}

export const canSend = ({ state }: SendingAlias): boolean => state !== "paused" && state !== "domain";

/** Own domains because of which some of the senders can't send. */
export function holdingDomains<T extends Domain>(
  senders: readonly SendingAlias[] | undefined,
  domains: readonly T[] | undefined,
): T[] {
  const held = new Set(senders?.flatMap(({ state, domain }) => (state === "domain" ? [domain] : [])));
  return domains?.filter(({ domain }) => held.has(domain)) ?? [];
}
