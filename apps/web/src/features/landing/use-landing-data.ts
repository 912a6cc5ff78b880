/** The landing page's data from the server: the domains, and the numbers of users and aliases. */

import { call } from "../../api/client.ts";
import { askOnce } from "../../api/session/ask-once.ts";
import type { Totals } from "./totals.ts";

export const useDomainList = askOnce(async (): Promise<readonly string[]> => (await call("listDomains")).domains);

export const useTotals = askOnce(async (): Promise<Totals> => {
  const { stats } = await call("getStats");
  return { users: stats.totalUsers, aliases: stats.totalAliases };
});
