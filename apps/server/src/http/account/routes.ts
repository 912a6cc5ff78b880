import { type AccountExport, exportAccount } from "../../core/account-export.ts";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { deleteAccount } from "../../core/user/user.ts";
import { keptValue } from "../../runtime/kept-value.ts";
import { steadyMs } from "../../runtime/ports.ts";
import type { HandlersOf } from "../handler.ts";

/** Milliseconds for which the public totals are returned before all rows are counted again. */
const TOTALS_MS = 60_000;

export function accountHandlers(
  deps: CoreDeps,
): HandlersOf<
  "getStats" | "getAccountStats" | "deleteAccount" | "getAccountSettings" | "changeAccountSettings" | "exportAccount"
> {
  const totals = keptValue({
    forMs: TOTALS_MS,
    now: () => steadyMs(deps.clock),
    read: async () => ({ totalUsers: await deps.users.count(), totalAliases: await deps.aliases.count() }),
  });
  return {
    getStats: async () => ({ stats: await totals() }),
    async getAccountStats({ userId }) {
      return { stats: await deps.users.stats(userId) };
    },
    async getAccountSettings({ userId }) {
      const settings = await deps.users.settings(userId);
      if (settings === null) throw new AppError("not_signed_in");
      return settings;
    },
    async changeAccountSettings({ userId, body }) {
      const settings = await deps.users.changeSettings(userId, body);
      if (settings === null) throw new AppError("not_signed_in");
      return settings;
    },
    async exportAccount({ userId }) {
      return accountExportToWire(await exportAccount(deps, userId));
    },
    async deleteAccount({ userId, cookie, clientAddress }) {
      await deleteAccount(deps, { userId, clientAddress });
      cookie.clear();
      return { message: "Account deleted" };
    },
  };
}

/**
 * Converts the account export to the wire. Of its dates, only its own is converted to text: JSON writes the dates in
 * its rows as ISO 8601.
 */
function accountExportToWire({ exportedAt, notes, tables, ...rest }: AccountExport) {
  return { ...rest, exportedAt: exportedAt.toISOString(), notes: [...notes], tables: { ...tables } };
}
