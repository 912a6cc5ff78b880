import type { AliasWire, LabelWire } from "@kauke/contract";
import { type Alias, listDomains } from "../../core/alias/alias.ts";
import { changeAliases } from "../../core/alias/change-aliases.ts";
import { createAlias } from "../../core/alias/create-alias.ts";
import { deleteAlias, readWebhookSecret, renewWebhookSecret, updateAlias } from "../../core/alias/update-alias.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { suspendedMailboxes, unconfirmedMailboxes } from "../../core/destination/destination.ts";
import { refuseAlias } from "../../core/domain/change-appearing.ts";
import { changeLabel, createLabel, deleteLabel, type Label } from "../../core/label.ts";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import type { Handlers } from "../handler.ts";
import {
  aliasToWire,
  aliasWishFromWire,
  bulkChangeFromWire,
  bulkResponseToWire,
  type MailboxStandings,
  newAliasFromWire,
} from "./wire.ts";

export function aliasHandlers(deps: CoreDeps) {
  const toWire = aliasWriter(deps);
  return {
    async listDomains() {
      return { domains: listDomains(deps.mailDomains.operators) };
    },
    async listAliases({ userId }) {
      const aliases = await deps.aliases.listForUser(userId);
      const standings = await standingsOf(deps, userId, aliases);
      return { aliases: await mapInSlices(aliases, (alias) => aliasToWire(alias, standings)) };
    },
    async listAliasesWithSmtp({ userId }) {
      const aliases = await deps.aliases.listWithSmtp(userId);
      const active = aliases.filter(({ routing }) => routing.state === "active");
      const domains = active.length === 0 ? [] : await deps.accountDomains.list(userId);
      const ofDomain = new Map(domains.map(({ domain, displayName }) => [domain, displayName]));
      return {
        aliases: active.map(({ id, name, domain, displayName = ofDomain.get(domain) ?? undefined }) => ({
          id,
          alias: name,
          domain,
          ...(displayName === undefined ? {} : { displayName }),
        })),
      };
    },
    async createAlias({ userId, body, key }) {
      return toWire(await createAlias(deps, newAliasFromWire(userId, body), key === null ? "session" : "key"));
    },
    async updateAlias({ userId, params, body, key, clientAddress }) {
      const by = key === null ? "session" : "key";
      return toWire(await updateAlias(deps, { userId, ...params, clientAddress }, aliasWishFromWire(body), by));
    },
    async toggleAlias({ userId, params, body }) {
      const alias = await updateAlias(deps, { userId, ...params }, { active: body.active });
      // The specification (section 4) has the web app look for "activated" in this message, so that of a paused
      // alias must not contain the word.
      return { message: body.active ? "Alias activated" : "Alias paused", alias: await toWire(alias) };
    },
    async changeAliases({ userId, body: { aliasIds, change }, key, clientAddress }) {
      const by = key === null ? ("session" as const) : ("key" as const);
      const wanted = { userId, aliasIds, change: bulkChangeFromWire(change), by, clientAddress };
      return bulkResponseToWire(await changeAliases(deps, wanted));
    },
    async deleteAlias({ userId, params, clientAddress }) {
      await deleteAlias(deps, { userId, ...params, clientAddress });
      return { message: "Alias deleted" };
    },
    async refuseAlias({ userId, params, clientAddress }) {
      await refuseAlias(deps, { userId, ...params, clientAddress });
      return { message: "Alias deleted, and its name refused" };
    },
  } satisfies Partial<Handlers>;
}

type StandingDeps = Pick<CoreDeps, "destinations" | "missingMailboxes" | "confirmation">;

export async function standingsOf(
  deps: StandingDeps,
  userId: string,
  aliases: readonly Alias[],
): Promise<MailboxStandings> {
  return {
    unconfirmed: await unconfirmedMailboxes(deps, userId, aliases),
    suspended: await suspendedMailboxes(deps, userId, aliases),
  };
}

export function aliasWriter(deps: StandingDeps): (alias: Alias) => Promise<AliasWire> {
  return async (alias) => aliasToWire(alias, await standingsOf(deps, alias.userId, [alias]));
}

const toWire = ({ id, name, colour }: Label): LabelWire => ({ id, name, colour });

export function labelHandlers(deps: CoreDeps) {
  return {
    async listLabels({ userId }) {
      return { labels: (await deps.labels.listForUser(userId)).map(toWire) };
    },
    async createLabel({ userId, body }) {
      return { label: toWire(await createLabel(deps, { userId, ...body })) };
    },
    async changeLabel({ userId, params, body }) {
      return { label: toWire(await changeLabel(deps, { userId, ...params }, body)) };
    },
    async deleteLabel({ userId, params }) {
      await deleteLabel(deps, { userId, ...params });
      return { message: "Label deleted" };
    },
  } satisfies Partial<Handlers>;
}

export function webhookSecretHandlers(deps: CoreDeps) {
  return {
    async readWebhookSecret({ userId, params }) {
      return { secret: await readWebhookSecret(deps, { userId, ...params }) };
    },
    async renewWebhookSecret({ userId, params }) {
      return { secret: await renewWebhookSecret(deps, { userId, ...params }) };
    },
  } satisfies Partial<Handlers>;
}
