import type { AliasRoute } from "../../core/alias/alias.ts";
import { mailboxDestination } from "../../store/rows.testing.ts";

/** A route to one mailbox, for the address `<alias id>@kauke.test`. */
export function aRoute(aliasId: string, userId: string, change: Partial<AliasRoute> = {}): AliasRoute {
  return {
    aliasId,
    userId,
    address: `${aliasId}@kauke.test`,
    destinations: [mailboxDestination("ann@inbox.example")],
    pausedWebhooks: [],
    paused: false,
    webhookSecret: Buffer.alloc(32, 1),
    replyKey: Buffer.alloc(32, 2),
    ageRecipient: null,
    ...change,
  };
}
