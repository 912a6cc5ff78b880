/** Calls of addy.io's clients that change several aliases at once. */
import { type BulkChange, changeAliases, replaceMailboxes } from "../../../core/alias/change-aliases.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { aliasMailboxes } from "../../../core/mailbox/account-defaults.ts";
import { takeLimit } from "../../../core/take-limit.ts";
import { parseBody } from "../../request/parse-body.ts";
import { bulkBody, bulkRecipientsBody } from "./alias-bodies.ts";
import type { Mount } from "./call.ts";
import { aliasToWire } from "./wire.ts";

/**
 * Change that each bulk call makes, by the call's name. Kauke does not keep deleted aliases, so `forget` deletes them.
 */
const changes: Readonly<Record<string, BulkChange>> = {
  activate: { kind: "active", active: true },
  deactivate: { kind: "active", active: false },
  pin: { kind: "pinned", pinned: true },
  unpin: { kind: "pinned", pinned: false },
  delete: { kind: "deletion" },
  forget: { kind: "deletion" },
};

export function bulkRoutes(mount: Mount, deps: CoreDeps): void {
  for (const [name, change] of Object.entries(changes)) {
    mount(`POST /aliases/${name}/bulk`, "aliases:write", async ({ userId, request }) => {
      const { ids } = parseBody(bulkBody, request.body);
      await takeLimit(deps, "client_bulk", { userId });
      return changedToWire(ids, await changeAliases(deps, { userId, aliasIds: ids, change, by: "key" }));
    });
  }
  mount("POST /aliases/recipients/bulk", "aliases:write", async ({ userId, request }) => {
    const { ids, recipient_ids: mailboxIds } = parseBody(bulkRecipientsBody, request.body);
    await takeLimit(deps, "client_bulk", { userId });
    return changedToWire(ids, await replaceMailboxes(deps, { userId, aliasIds: ids, mailboxIds }));
  });
  mount("POST /aliases/get/bulk", "aliases:read", async ({ userId, request }) => {
    const { ids } = parseBody(bulkBody, request.body);
    await takeLimit(deps, "client_bulk", { userId });
    const aliases = await deps.aliases.findMany(userId, ids);
    if (aliases.length === 0) throw new AppError("not_found", { message: NONE_FOUND });
    const mailboxes = await aliasMailboxes(deps, userId, aliases);
    return { data: aliases.map((alias) => aliasToWire(alias, mailboxes)) };
  });
}

const NONE_FOUND = "No aliases found";

/**
 * Response to a bulk call: ids of the changed aliases.
 * @throws AppError `not_found` if none of the aliases belongs to the user
 */
function changedToWire(asked: readonly string[], { failed }: { failed: ReadonlyMap<string, unknown> }) {
  const ids = [...new Set(asked)].filter((id) => !failed.has(id));
  if (ids.length === 0) throw new AppError("not_found", { message: NONE_FOUND });
  return { message: ids.length === 1 ? "1 alias changed" : `${ids.length} aliases changed`, ids };
}
