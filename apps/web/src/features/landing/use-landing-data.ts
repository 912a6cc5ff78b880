/** What the landing page asks the server: the domains, and how many people and aliases there are. */
import { askOnce } from "../../api/ask-once.ts";
import { call } from "../../api/client.ts";
import type { Totals } from "./totals.ts";

export const useDomainList = askOnce(async (): Promise<readonly string[]> => (await call("listDomains")).domains);

export const useTotals = askOnce(async (): Promise<Totals> => {
  const { stats } = await call("getStats");
  return { users: stats.totalUsers, aliases: stats.totalAliases };
});
