import { createAlias } from "../../core/alias/create-alias.ts";
import { deleteAlias } from "../../core/alias/delete-alias.ts";
import { listDomains } from "../../core/alias/list-domains.ts";
import { toggleAlias } from "../../core/alias/toggle-alias.ts";
import { updateAlias } from "../../core/alias/update-alias.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import type { HandlersOf } from "../handler.ts";
import { aliasToWire, aliasWishFromWire, newAliasFromWire } from "./wire.ts";

type AliasCalls =
  | "listDomains"
  | "listAliases"
  | "listAliasesWithSmtp"
  | "createAlias"
  | "updateAlias"
  | "toggleAlias"
  | "deleteAlias";

export function aliasHandlers(deps: CoreDeps): HandlersOf<AliasCalls> {
  return {
    async listDomains() {
      return { domains: listDomains(deps.ownDomains) };
    },
    async listAliases({ userId }) {
      const aliases = await deps.aliases.listForUser(userId);
      return { aliases: aliases.map(aliasToWire) };
    },
    async listAliasesWithSmtp({ userId }) {
      const aliases = await deps.aliases.listWithSmtp(userId);
      const active = aliases.filter(({ routing }) => routing.state === "active");
      return { aliases: active.map(({ id, name, domain }) => ({ id, alias: name, domain })) };
    },
    async createAlias({ userId, body }) {
      return aliasToWire(await createAlias(deps, newAliasFromWire(userId, body)));
    },
    async updateAlias({ userId, params, body }) {
      return aliasToWire(await updateAlias(deps, { userId, ...params }, aliasWishFromWire(body)));
    },
    async toggleAlias({ userId, params, body }) {
      const alias = await toggleAlias(deps, { userId, ...params }, body.active);
      // Section 4: the page reads "activated" in this text, so the other one must not hold that word.
      return { message: body.active ? "Alias activated" : "Alias paused", alias: aliasToWire(alias) };
    },
    async deleteAlias({ userId, params }) {
      await deleteAlias(deps, { userId, ...params });
      return { message: "Alias deleted" };
    },
  };
}
