import type { Alias } from "./alias.ts";
import { updateAlias } from "./update-alias.ts";

/**
 * Pauses or activates an alias; no change if it already has that state. Mail to a paused alias is accepted and
 * discarded.
 * @throws AppError `not_found`, `rate_limited`
 */
export async function toggleAlias(
  deps: Parameters<typeof updateAlias>[0],
  alias: { userId: string; aliasId: string },
  active: boolean,
): Promise<Alias> {
  return updateAlias(deps, alias, { active });
}
