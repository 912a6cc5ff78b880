/** What a session is doing, in the terms of the pool that decides who gives way. Pure. */
import type { Standing } from "../../core/connection/fair-pool.ts";
import type { SessionTimes } from "./session-limits.ts";
import { isSlowMessage, type SessionProgress } from "./slow-sessions.ts";

/**
 * A client that keeps saying NOOP brings as little as one that says nothing, so what counts is when the last message ended.
 * A message moves while it is just beginning or comes in at the speed that memory pressure asks for.
 */
export function standingOf(session: SessionProgress, now: number, times: SessionTimes): Standing {
  const common = { idleSince: session.lastMailAt, isKnown: !session.isStranger };
  if (session.isBusy) return { state: "answering", ...common };
  const isMoving = session.data !== null && !isSlowMessage(session, now, times);
  return { state: isMoving ? "moving" : "idle", ...common };
}
