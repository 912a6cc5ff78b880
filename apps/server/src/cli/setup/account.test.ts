import { expect, it } from "vitest";
import type { OperatorAccess } from "../control/operator-access.ts";
import { offerAccount } from "./account.ts";

const mailbox = "you@elsewhere.example";

/** A server that knows the operator's account, or an open invitation for it, or neither. */
function access({ account, isInvited = false }: { account?: { isAdmin: boolean }; isInvited?: boolean }) {
  const invite = { id: "b9a3", address: mailbox, expiresAt: "2026-12-04T10:00:00Z" };
  return {
    "users-find": async () => account ?? null,
    "invites-list": async () => (isInvited ? [invite] : []),
    "invites-create": async () => ({ link: "https://kauke.example/register#invite=abc" }),
  } as unknown as OperatorAccess;
}

it.each([
  ["an invitation", {}, "ok", "Register within 7 days: https://kauke.example/register#invite=abc"],
  ["how to replace an open invitation", { isInvited: true }, "warn", "kauke users uninvite b9a3"],
  ["how the account gets the admin page", { account: { isAdmin: false } }, "ok", `users grant-admin ${mailbox}`],
  ["that the account has it", { account: { isAdmin: true } }, "ok", "may use the admin page"],
] as const)("the operator is told %s", async (_, known, state, says) => {
  const shown: string[] = [];
  const result = await offerAccount(access(known), mailbox, (text) => shown.push(text));
  expect(result).toMatchObject({ state, says: expect.stringContaining(says) });
  expect(shown).toHaveLength(says.startsWith("Register") ? 1 : 0);
});
