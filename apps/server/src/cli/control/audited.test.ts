import { expect, it } from "vitest";
import type { ActToRecord } from "../../store/rows/operator-store.ts";
import { audited } from "./audited.ts";
import { type ControlHandlers, type ControlRequest, handlersBy, OperatorError } from "./control-protocol.ts";

/** @param respond result of each call, or the error that it throws */
function recording(respond: (request: ControlRequest) => unknown, by = "command") {
  const acts: ActToRecord[] = [];
  const answer = async (request: ControlRequest) => {
    const result = respond(request);
    if (result instanceof Error) throw result;
    return result;
  };
  const handlers = audited(handlersBy(answer), by, async (act) => void acts.push(act));
  return { handlers, acts };
}

const doAll = async (calls: ControlHandlers) => {
  await calls["kept-forget"]({ messageId: "m-1" });
  await calls["users-delete"]({ userId: "u-1" });
  await calls["users-end-sessions"]({ userId: "u-1" });
  await calls["users-admin"]({ userId: "u-1", isAdmin: true });
  await calls["users-admin"]({ userId: "u-1", isAdmin: false });
  await calls["mailbox-unblock"]({ address: "ann@example.org" });
  await calls["invites-create"]({ address: "ann@example.org", days: 7 });
  await calls["invites-revoke"]({ id: "i-1" });
  await calls["queue-retry"]({ host: "a.example" });
  await calls["queue-drop"]({ host: "a.example" });
  await calls["keys-rotate"]({});
  await calls["keys-wrapping"]({});
  await calls.backup({ file: "/home/ann@example.org/monday.kauke", withSecretKey: false });
  await calls["certificates-order"]({});
  await calls["probe-start"]({});
  await calls["users-list"]({ after: "", withEmail: true });
  await calls["domains-list"]({ after: "", withName: true });
  await calls["domains-list"]({ after: "d-1", withName: true });
  await calls["domains-list"]({ after: "", withName: false });
  await calls["domains-zone"]({ domain: "d-1" });
  await calls["domains-zone"]({ domain: "own.example" });
  await calls["provider-check"]({ withAddress: true });
  await calls["provider-repair"]({});
  await calls["provider-push"]({ after: "" });
  await calls["provider-push"]({ after: "alias-1" });
  await calls["provider-adopt"]({ userId: "u-1" });
};

it("each act is recorded once, with who did it to what, and never with an address", async () => {
  const result = { id: "i-1", again: 1, removed: 0 };
  const { handlers, acts } = recording(({ call }) => (call === "domains-zone" ? [{ id: "d-1" }] : result), "admin-1");
  await doAll(handlers);
  expect(new Set(acts.map(({ by }) => by))).toEqual(new Set(["admin-1"]));
  expect(acts.map(({ act, on }) => [act, on])).toEqual([
    ["kept_mail_deleted", "m-1"],
    ["account_deleted", "u-1"],
    ["account_signed_out", "u-1"],
    ["admin_granted", "u-1"],
    ["admin_revoked", "u-1"],
    ["mailbox_unblocked", null],
    ["invite_created", "i-1"],
    ["invite_revoked", "i-1"],
    ["queue_retried", "a.example"],
    ["queue_dropped", "a.example"],
    ["sealing_key_rotated", null],
    ["wrapping_key_rotated", null],
    ["backup_written", "monday.kauke"],
    ["certificates_ordered", null],
    ["mail_probe_started", "i-1"],
    ["addresses_shown", null],
    ["domains_shown", null],
    ["domains_shown", "d-1"],
    ["addresses_shown", null],
    ["provider_repaired", null],
    ["provider_pushed", null],
    ["aliases_adopted", "u-1"],
  ]);
  expect(JSON.stringify(acts)).not.toContain("@");
});

it.each([false, 0])("an act that changed nothing (%j) is not recorded, and its result is passed on", async (result) => {
  const { handlers, acts } = recording(() => result);
  expect(await handlers["users-delete"]({ userId: "u-1" })).toBe(result);
  await doAll(handlers);
  expect(acts).toEqual([]);
});

it("a refused act is not recorded, and its refusal is passed on", async () => {
  const { handlers, acts } = recording(() => new OperatorError("There is a file already."));
  await expect(handlers.backup({ file: "x", withSecretKey: true })).rejects.toThrow("There is a file already.");
  expect(acts).toEqual([]);
});

it("reads are not recorded", async () => {
  const { handlers, acts } = recording(() => ({ id: "x" }));
  for (const read of ["facts", "kept-list", "queue-hosts", "keys-list", "keys-state"] as const)
    await handlers[read]({});
  for (const read of ["migrations", "relay-state", "health"] as const) await handlers[read]({});
  await handlers["acts-list"]({ isAll: true });
  await handlers["kept-text"]({ messageId: "m-1" });
  await handlers["users-list"]({ after: "", withEmail: false });
  await handlers["users-find"]({ email: "ann@example.org" });
  await handlers["invites-list"]({ withAddress: true });
  for (const read of ["provider-state", "provider-figures"] as const) await handlers[read]({});
  await handlers["provider-check"]({ withAddress: false });
  await handlers["provider-adopt-plan"]({ userId: "u-1" });
  expect(acts).toEqual([]);
});
