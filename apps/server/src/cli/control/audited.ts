/** Records every act of an operator, whether it comes from the command or from the admin page. */
import { basename } from "node:path";
import type { ActToRecord } from "../../store/rows/operator-store.ts";
import type { ControlCall, ControlCalls, ControlHandlers } from "./control-protocol.ts";

type Describe<Call extends ControlCall> = (
  ask: ControlCalls[Call]["ask"],
  result: ControlCalls[Call]["result"],
) => Omit<ActToRecord, "by"> | null;

/** `null`: the call only reads. To see everybody's addresses is an act, and so is to see the names of own domains. */
const acts: { readonly [Call in ControlCall]: Describe<Call> | null } = {
  facts: null,
  "kept-list": null,
  "kept-text": null,
  "kept-forget": ({ messageId }) => ({ act: "kept_mail_deleted", on: messageId }),
  "users-list": ({ after, withEmail }) => (withEmail && after === "" ? { act: "addresses_shown", on: null } : null),
  "users-find": null,
  "users-delete": ({ userId }) => ({ act: "account_deleted", on: userId }),
  "users-end-sessions": ({ userId }) => ({ act: "account_signed_out", on: userId }),
  "users-admin": ({ userId, isAdmin }) => ({ act: isAdmin ? "admin_granted" : "admin_revoked", on: userId }),
  "mailbox-unblock": () => ({ act: "mailbox_unblocked", on: null }),
  "domains-list": ({ after, withName }) => (withName && after === "" ? { act: "domains_shown", on: null } : null),
  "domains-zone": ({ domain }, found) =>
    found.some(({ id }) => id === domain) ? { act: "domains_shown", on: domain } : null,
  "invites-create": (_, { id }) => ({ act: "invite_created", on: id }),
  "invites-list": null,
  "invites-revoke": ({ id }) => ({ act: "invite_revoked", on: id }),
  "queue-hosts": null,
  "queue-retry": ({ host }) => ({ act: "queue_retried", on: host.toLowerCase() }),
  "queue-drop": ({ host }) => ({ act: "queue_dropped", on: host.toLowerCase() }),
  "acts-list": null,
  "keys-list": null,
  "keys-rotate": () => ({ act: "sealing_key_rotated", on: null }),
  "keys-state": null,
  "keys-wrapping": () => ({ act: "wrapping_key_rotated", on: null }),
  backup: ({ file }) => ({ act: "backup_written", on: basename(file) }),
  migrations: null,
  "certificates-order": () => ({ act: "certificates_ordered", on: null }),
  "relay-state": null,
  health: null,
  "probe-start": (_, { id }) => ({ act: "mail_probe_started", on: id }),
  "probe-state": null,
  "probe-judge": null,
  "provider-state": null,
  "provider-figures": null,
  "provider-check": ({ withAddress }) => (withAddress ? { act: "addresses_shown", on: null } : null),
  "provider-repair": (_, { again, removed }) => (again + removed > 0 ? { act: "provider_repaired", on: null } : null),
  "provider-push": ({ after }) => (after === "" ? { act: "provider_pushed", on: null } : null),
  "provider-adopt-plan": null,
  "provider-adopt": ({ userId }) => ({ act: "aliases_adopted", on: userId }),
};

/**
 * Handlers that record each act once it is done: not one that failed, or that changed nothing (false, `null` or 0).
 * @param by `command`, or the id of an admin's account
 */
export function audited(
  handlers: ControlHandlers,
  by: string,
  record: (act: ActToRecord) => Promise<void>,
): ControlHandlers {
  const recording = Object.entries(handlers).map(([call, handle]) => [
    call,
    async (ask: never) => {
      const result: unknown = await handle(ask);
      const isDone = result !== false && result !== null && result !== 0;
      const describe = acts[call as ControlCall] as Describe<never> | null;
      const act = isDone && describe !== null ? describe(ask, result as never) : null;
      if (act !== null) await record({ by, ...act });
      return result;
    },
  ]);
  return Object.fromEntries(recording) as ControlHandlers;
}
