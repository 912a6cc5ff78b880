import { createHmac } from "node:crypto";
import type { NoticeWire } from "@kauke/contract";
import { type AccountExport, exportAccount } from "../../core/account-export.ts";
import { AppError } from "../../core/app-error.ts";
import { addToChecklist, changeChecklist, deleteChecklist } from "../../core/checklist.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { dismissNotice, type Notice } from "../../core/notice.ts";
import { readFirstSteps, TestMessages } from "../../core/test-message.ts";
import { TokenBuckets } from "../../limits/rate.ts";
import { bounds } from "../../limits/table.ts";
import { withoutCallerTurn } from "../../runtime/fair-queue/fair-queue.ts";
import { type Clock, type Metrics, type Random, randomToken, steadyMs } from "../../runtime/ports.ts";
import type { Handlers } from "../handler.ts";

export function accountHandlers(deps: CoreDeps) {
  const totals = keptValue({
    forMs: bounds.publicTotals.everyMs,
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
    async getDraftKey({ userId }) {
      const key = await deps.users.draftKey(userId, randomToken(deps.random));
      if (key === null) throw new AppError("not_signed_in");
      return { key };
    },
    async exportAccount({ userId }) {
      return accountExportToWire(await exportAccount(deps, userId));
    },
    async deleteAccount({ userId, cookie, clientAddress }) {
      await deps.users.delete(userId, clientAddress);
      cookie.clear();
      return { message: "Account deleted" };
    },
  } satisfies Partial<Handlers>;
}

/** JSON writes the dates in the export's rows as ISO 8601. */
function accountExportToWire({ exportedAt, notes, tables, ...rest }: AccountExport) {
  return { ...rest, exportedAt: exportedAt.toISOString(), notes: [...notes], tables: { ...tables } };
}

/** Page events that count per network and minute: an office shares one network. No cookie is read or set. */
export const countedAtMost = { max: bounds.pageEvents.perMinute, windowSeconds: 60 };

interface Parts {
  clock: Clock;
  random: Random;
  metrics: Metrics;
}

export function analyticsHandlers({ clock, random, metrics }: Parts) {
  const buckets = new TokenBuckets(countedAtMost, bounds.pageEvents.networks);
  const key = random.bytes(32);
  return {
    async countEvent({ body, clientAddress }) {
      const network = createHmac("sha256", key).update(clientAddress).digest("base64url").slice(0, 16);
      if (buckets.take(network, steadyMs(clock))) metrics.count("kauke_page_events_total", { event: body.event });
      return {};
    },
  } satisfies Partial<Handlers>;
}

export function firstStepsHandlers(deps: CoreDeps) {
  const tests = new TestMessages();
  return {
    getFirstSteps: ({ userId }) => readFirstSteps(deps, userId),
    sendTestMessage: async ({ userId, params }) => ({ testId: await tests.send(deps, { userId, ...params }) }),
    readTestMessage: async ({ userId, params }) => ({ stages: await tests.read(deps, { userId, ...params }) }),
  } satisfies Partial<Handlers>;
}

export function checklistHandlers(deps: CoreDeps) {
  return {
    listChecklist: async ({ userId }) => ({ rows: await deps.checklist.list(userId) }),
    addToChecklist: async ({ userId, body }) => ({ added: await addToChecklist(deps, { userId, ...body }) }),
    changeChecklist: async ({ userId, body }) => ({ changed: await changeChecklist(deps, { userId, ...body }) }),
    async deleteChecklist({ userId }) {
      await deleteChecklist(deps, userId);
      return { message: "Checklist deleted" };
    },
  } satisfies Partial<Handlers>;
}

export function noticeHandlers(deps: CoreDeps) {
  return {
    async listNotices({ userId }) {
      const notices = await deps.notices.listForUser(userId);
      return { notices: notices.map(noticeToWire) };
    },
    async dismissNotice({ userId, params }) {
      await dismissNotice(deps, { userId, ...params });
      return { message: "Notice dismissed" };
    },
  } satisfies Partial<Handlers>;
}

function noticeToWire({ id, kind, aliasId, text, createdAt }: Notice): NoticeWire {
  return { id, kind, aliasId, text, createdAt: createdAt.toISOString() };
}

interface KeptValueOptions<Value> {
  forMs: number;
  now(): number;
  read(): Promise<Value>;
}

/** Caches a value: callers get the old one while one call refreshes it; after a failure the next caller tries again. */
export function keptValue<Value>({ forMs, now, read }: KeptValueOptions<Value>): () => Promise<Value> {
  let kept: { value: Value; at: number } | null = null;
  let reading: Promise<Value> | null = null;
  const readAgain = async () => {
    try {
      const at = now();
      const value = await read();
      kept = { value, at };
      return value;
    } finally {
      reading = null;
    }
  };
  return async () => {
    if (kept !== null && now() - kept.at < forMs) return kept.value;
    reading ??= withoutCallerTurn(readAgain);
    if (kept === null) return reading;
    reading.catch(() => {});
    return kept.value;
  };
}
