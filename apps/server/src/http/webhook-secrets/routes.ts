import { readWebhookSecret, renewWebhookSecret } from "../../core/alias/update-alias.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import type { HandlersOf } from "../handler.ts";

export function webhookSecretHandlers(deps: CoreDeps): HandlersOf<"readWebhookSecret" | "renewWebhookSecret"> {
  return {
    async readWebhookSecret({ userId, params }) {
      return { secret: await readWebhookSecret(deps, { userId, ...params }) };
    },
    async renewWebhookSecret({ userId, params }) {
      return { secret: await renewWebhookSecret(deps, { userId, ...params }) };
    },
  };
}
