/**
 * Stops calling a webhook that answered 410: its destination is paused before the owner is notified, and mail that
 * still waits for it fails without a call.
 */
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { AliasStore } from "../../core/alias/alias-store.ts";
import type { GoneWebhook } from "../../core/alias/webhook.ts";
import type { DeliveryOutcome, DeliveryTarget } from "../../core/delivery/delivery.ts";
import type { Clock, Logger } from "../../runtime/ports.ts";
import { refused } from "../classify-reply.ts";
import type { FailureReporter } from "./failures.ts";

export interface PauseGoneDeps {
  pauseWebhook(gone: GoneWebhook): Promise<void>;
  clock: Clock;
  logger: Logger;
}

/**
 * Wraps a failure reporter so that a webhook that answered 410 is paused before the report. Never throws: a webhook
 * that could not be paused will answer 410 to the next call too, and is paused then.
 */
export function pausingGoneWebhooks(inner: FailureReporter, deps: PauseGoneDeps): FailureReporter {
  return {
    ...inner,
    async report(delivery, failure) {
      const { aliasId, userId, target } = delivery;
      const { destination } = target;
      if (failure.code === "webhook_gone" && destination.kind === "webhook" && aliasId !== null && userId !== null) {
        const gone = { userId, aliasId, url: destination.url, at: deps.clock.now() };
        await deps.pauseWebhook(gone).catch(() => deps.logger.warn("webhook_pause_failed", { id: aliasId }));
      }
      await inner.report(delivery, failure);
    },
  };
}

/** @returns the outcome that replaces the attempt when the webhook is paused, else `null` */
export async function outcomeIfPaused(
  { aliasId, target }: { aliasId: string | null; target: DeliveryTarget },
  aliases: Pick<AliasStore, "findRouteById">,
): Promise<DeliveryOutcome | null> {
  const { destination } = target;
  if (destination.kind !== "webhook" || aliasId === null) return null;
  return isPaused(await aliases.findRouteById(aliasId), destination.url) ? refused("webhook_gone", "5.1.6") : null;
}

function isPaused(route: AliasRoute | null, url: string): boolean {
  return route?.pausedWebhooks.includes(url) ?? false;
}
