/** Control calls about accounts. An e-mail address is returned only on request. */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Store } from "../../store/open-store.ts";
import type { OperatorUser } from "../../store/rows/operator-store.ts";
import type { ControlHandlers, UserSummary } from "./control-protocol.ts";

type UserCalls = Pick<
  ControlHandlers,
  "users-list" | "users-find" | "users-delete" | "users-end-sessions" | "mailbox-unblock"
>;

/** Maximum accounts in one answer. They are read in pages of USERS_OF_A_PAGE, so that the event loop is not blocked. */
const USERS_AT_ONCE = 1000;
const USERS_OF_A_PAGE = 200;
const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function userCalls({ users, loginSessions, apiKeys, operator }: Store): UserCalls {
  /** Runs `work` if the account exists, and returns whether it does. */
  const withUser = async (userId: string, work: () => Promise<void>): Promise<boolean> => {
    if (!isUuid.test(userId) || (await users.find(userId)) === null) return false;
    await work();
    return true;
  };
  return {
    "users-list": async ({ after, withEmail }) => {
      const found: UserSummary[] = [];
      for (let last = isUuid.test(after) ? after : null; found.length < USERS_AT_ONCE; ) {
        const page = await operator.listUsers({ after: last, limit: USERS_OF_A_PAGE });
        found.push(...page.map((user) => summaryOf(user, withEmail)));
        last = page.at(-1)?.id ?? null;
        if (page.length < USERS_OF_A_PAGE) break;
        await nextTurn();
      }
      return found;
    },
    "users-find": async ({ email }) => {
      const user = await users.findByEmail(email);
      const found = user === null ? null : await operator.findUser(user.id);
      return found === null ? null : summaryOf(found, true);
    },
    "users-delete": ({ userId }) => withUser(userId, () => users.delete(userId)),
    "users-end-sessions": ({ userId }) =>
      withUser(userId, async () => {
        await loginSessions.deleteForUser(userId);
        await apiKeys.deleteForUser(userId);
      }),
    "mailbox-unblock": ({ address }) => operator.unblockMailbox(address),
  };
}

function summaryOf({ email, createdAt, lastSeenAt, ...user }: OperatorUser, withEmail: boolean): UserSummary {
  const times = { createdAt: createdAt.toISOString(), lastSeenAt: lastSeenAt?.toISOString() ?? null };
  return { ...user, ...times, ...(withEmail ? { email } : {}) };
}
