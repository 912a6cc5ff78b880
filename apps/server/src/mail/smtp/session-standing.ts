/** Describes a session to the connection pool that decides which connection to evict. Pure. */
import type { Standing } from "../../limits/fair-pool.ts";
import type { SessionTimes } from "./session-limits.ts";
import { isSlowMessage, type SessionProgress } from "./slow-sessions.ts";

/**
 * A session counts as idle from the end of its last message, whatever other commands the client sends. A message counts
 * as moving while it is just beginning or arrives at the speed required under memory pressure.
 */
export function standingOf(session: SessionProgress, now: number, times: SessionTimes): Standing {
  const common = { idleSince: session.lastMailAt, isKnown: !session.isStranger };
  if (session.isBusy) return { state: "answering", ...common };
  const isMoving = session.data !== null && !isSlowMessage(session, now, times);
  return { state: isMoving ? "moving" : "idle", ...common };
}
