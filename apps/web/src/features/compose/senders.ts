import type { AliasWire, ResponseOf } from "@kauke/contract";

type Named = ResponseOf<"listAliasesWithSmtp">["aliases"][number];

/** `ready`: has SMTP credentials; `new`: gets them with its first message; `paused`: can't send. */
export interface SendingAlias extends Named {
  state: "ready" | "new" | "paused";
}

/** Senders in the Dashboard's order, paused ones last. @param ready refetched per visit, so it wins over `aliases` */
export function sendersOf(ready: readonly Named[], aliases: readonly AliasWire[]): SendingAlias[] {
  const readyIds = new Set(ready.map(({ id }) => id));
  const known = new Set(aliases.map(({ id }) => id));
  const stateOf = ({ id, active }: AliasWire) => {
    if (readyIds.has(id)) return "ready";
    return active ? "new" : "paused";
  };
  const senders = [
    ...ready.filter(({ id }) => !known.has(id)).map((alias): SendingAlias => ({ ...alias, state: "ready" })),
    ...aliases.map((alias): SendingAlias => {
      const { id, alias: name, domain } = alias;
      return { id, alias: name, domain, state: stateOf(alias) };
    }),
  ];
  return [...senders.filter(canSend), ...senders.filter((sender) => !canSend(sender))];
}

export const canSend = ({ state }: SendingAlias): boolean => state !== "paused";
