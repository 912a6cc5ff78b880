import type { Alias } from "../../core/alias/alias.ts";
import { createAlias } from "../../core/alias/create-alias.ts";
import { deleteAlias } from "../../core/alias/delete-alias.ts";
import { listDomains } from "../../core/alias/list-domains.ts";
import { toggleAlias } from "../../core/alias/toggle-alias.ts";
import { updateAlias } from "../../core/alias/update-alias.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { suspendedMailboxes } from "../../core/destination/suspended-mailboxes.ts";
import { unconfirmedMailboxes } from "../../core/destination/unconfirmed-mailboxes.ts";
import type { HandlersOf } from "../handler.ts";
import { aliasToWire, aliasWishFromWire, type MailboxStandings, newAliasFromWire } from "./wire.ts";

type AliasCalls =
  | "listDomains"
  | "listAliases"
  | "listAliasesWithSmtp"
  | "createAlias"
  | "updateAlias"
  | "toggleAlias"
  | "deleteAlias";

export function aliasHandlers(deps: CoreDeps): HandlersOf<AliasCalls> {
  const standingsOf = async (userId: string, aliases: readonly Alias[]): Promise<MailboxStandings> => ({
    unconfirmed: await unconfirmedMailboxes(deps, userId, aliases),
    suspended: await suspendedMailboxes(deps, userId, aliases),
  });
  const toWire = async (alias: Alias) => aliasToWire(alias, await standingsOf(alias.userId, [alias]));
  return {
    async listDomains() {
      return { domains: listDomains(deps.ownDomains) };
    },
    async listAliases({ userId }) {
      const aliases = await deps.aliases.listForUser(userId);
      const standings = await standingsOf(userId, aliases);
      return { aliases: aliases.map((alias) => aliasToWire(alias, standings)) };
    },
    async listAliasesWithSmtp({ userId }) {
      const aliases = await deps.aliases.listWithSmtp(userId);
      const active = aliases.filter(({ routing }) => routing.state === "active");
      return { aliases: active.map(({ id, name, domain }) => ({ id, alias: name, domain })) };
    },
    async createAlias({ userId, body, key }) {
      return toWire(await createAlias(deps, newAliasFromWire(userId, body), key === null ? "session" : "key"));
    },
    async updateAlias({ userId, params, body, key }) {
      const by = key === null ? "session" : "key";
      return toWire(await updateAlias(deps, { userId, ...params }, aliasWishFromWire(body), by));
    },
    async toggleAlias({ userId, params, body }) {
      const alias = await toggleAlias(deps, { userId, ...params }, body.active);
      // The specification (section 4) has the web app look for "activated" in this message, so the message for a paused
      // alias must not contain that word.
      return { message: body.active ? "Alias activated" : "Alias paused", alias: await toWire(alias) };
    },
    async deleteAlias({ userId, params }) {
      await deleteAlias(deps, { userId, ...params });
      return { message: "Alias deleted" };
    },
  };
}
