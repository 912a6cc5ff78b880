import type { ForwardingWire } from "@kauke/contract";
import { notFound } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { takeLimit } from "../../core/take-limit.ts";
import type { Handlers } from "../handler.ts";

export function forwardingHandlers(deps: CoreDeps) {
  return {
    async getForwarding({ userId }): Promise<ForwardingWire> {
      const provider = deps.forwarding.about;
      if (provider === null) return { provider, counts: { waiting: 0, failed: 0, held: 0 }, unfinished: [] };
      const { counts, aliases } = await deps.providerAliases.unfinished(userId);
      const unfinished = aliases.map((one) => ({ ...one, nextTryAt: one.nextTryAt?.toISOString() ?? null }));
      return { provider, counts, unfinished };
    },
    async setUpAlias({ userId, params }) {
      await takeLimit(deps, "provider_try", { userId });
      if (!(await deps.providerAliases.tryNow(userId, params.aliasId))) throw notFound("Alias not found");
      return { message: "Tried again now" };
    },
  } satisfies Partial<Handlers>;
}
