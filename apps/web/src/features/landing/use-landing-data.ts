/** What the landing page asks the server: the domains, and how many people and aliases there are. */

import { call } from "../../api/client.ts";
import { askOnce } from "../../api/session/ask-once.ts";
import type { Totals } from "./totals.ts";

export const useDomainList = askOnce(async (): Promise<readonly string[]> => (await call("listDomains")).domains);

export const useTotals = askOnce(async (): Promise<Totals> => {
  const { stats } = await call("getStats");
  return { users: stats.totalUsers, aliases: stats.totalAliases };
});
