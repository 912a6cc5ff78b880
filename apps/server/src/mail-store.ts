/**
 * The part of the store that the mail path uses. In a single process the store itself implements it; a mail worker has
 * an implementation that calls the process that owns the store (`mail-workers/remote-store.ts`).
 */
import type { AliasStore } from "./core/alias/alias-store.ts";
import type { GoneWebhook } from "./core/alias/pause-webhook.ts";
import type { DeliveryStore } from "./core/delivery/delivery.ts";
import type { MissingMailboxStore } from "./core/destination/missing-mailbox.ts";
import type { NoticeStore } from "./core/notice/notice.ts";
import type { RateLimitStore } from "./core/rate-limit/rate-limit.ts";
import type { SentAnswerStore } from "./core/reply-path/sent-answer.ts";
import type { Store } from "./store/open-store.ts";

export interface MailStore extends Pick<Store, "replyPaths" | "inFlight" | "dkimKeys"> {
  aliases: Pick<
    AliasStore,
    "findRoute" | "findRouteById" | "findIdsBetween" | "markUsed" | "onRouteChange" | "reportsAllChanges"
  >;
  deliveries: Pick<
    DeliveryStore,
    "keep" | "keepForOperator" | "extendLease" | "finish" | "defer" | "hasten" | "countForAlias" | "spoolBytes"
  >;
  bodies: Pick<Store["bodies"], "put" | "get" | "getStart" | "delete">;
  destinations: Pick<Store["destinations"], "states" | "isSharedDomain" | "ask" | "takeBackAsk">;
  missingMailboxes: Pick<MissingMailboxStore, "note" | "clear">;
  notices: Pick<NoticeStore, "insert">;
  rateLimits: Pick<RateLimitStore, "take" | "takeAll" | "takeSpaced" | "giveBack" | "clear">;
  sentAnswers: Pick<SentAnswerStore, "listKnown" | "remember">;
  smtpCredentials: Pick<Store["smtpCredentials"], "findLogin" | "findStanding">;
  users: Pick<Store["users"], "settings">;
  keys: Pick<Store["keys"], "hmac">;
  pauseWebhook(gone: GoneWebhook): Promise<void>;
}
