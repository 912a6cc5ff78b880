import { createHmac } from "node:crypto";
import type { NoticeWire } from "@kauke/contract";
import { type AccountExport, exportAccount } from "../../core/account-export.ts";
import { AppError } from "../../core/app-error.ts";
import { addToChecklist, changeChecklist, deleteChecklist } from "../../core/checklist.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { dismissNotice, type Notice } from "../../core/notice.ts";
import { TokenBuckets } from "../../limits/token-buckets.ts";
import { keptValue } from "../../runtime/kept-value.ts";
import { type Clock, type Metrics, type Random, steadyMs } from "../../runtime/ports.ts";
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
      await deps.users.delete(userId, clientAddress);
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

/** Maximum counted events per network and minute. A user opens some tens of pages; an office shares one network. */
export const countedAtMost = { max: 600, windowSeconds: 60 };
/** Maximum networks whose page events are counted at a time, about 100 bytes each. */
const NETWORKS_MAX = 4096;

interface Parts {
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

export function analyticsHandlers({ clock, random, metrics }: Parts): HandlersOf<"countEvent"> {
  const buckets = new TokenBuckets(countedAtMost, NETWORKS_MAX);
  const key = random.bytes(32);
  return {
    async countEvent({ body, clientAddress }) {
      const network = createHmac("sha256", key).update(clientAddress).digest("base64url").slice(0, 16);
      if (buckets.take(network, steadyMs(clock))) metrics.count("kauke_page_events_total", { event: body.event });
      return {};
    },
  };
}

export function checklistHandlers(
  deps: CoreDeps,
): HandlersOf<"listChecklist" | "addToChecklist" | "changeChecklist" | "deleteChecklist"> {
  return {
    listChecklist: async ({ userId }) => ({ rows: await deps.checklist.list(userId) }),
    addToChecklist: async ({ userId, body }) => ({ added: await addToChecklist(deps, { userId, ...body }) }),
    changeChecklist: async ({ userId, body }) => ({ changed: await changeChecklist(deps, { userId, ...body }) }),
    async deleteChecklist({ userId }) {
      await deleteChecklist(deps, userId);
      return { message: "Checklist deleted" };
    },
  };
}

export function noticeHandlers(deps: CoreDeps): HandlersOf<"listNotices" | "dismissNotice"> {
  return {
    async listNotices({ userId }) {
      const notices = await deps.notices.listForUser(userId);
      return { notices: notices.map(noticeToWire) };
    },
    async dismissNotice({ userId, params }) {
      await dismissNotice(deps, { userId, ...params });
      return { message: "Notice dismissed" };
    },
  };
}

function noticeToWire({ id, kind, aliasId, text, createdAt }: Notice): NoticeWire {
  return { id, kind, aliasId, text, createdAt: createdAt.toISOString() };
}
