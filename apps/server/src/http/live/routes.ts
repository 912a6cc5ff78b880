/** `GET /api/events`, outside the contract's table: its response never ends, and counts as no call of the account. */
import { LIVE_PATH } from "@kauke/contract";
import type { FastifyInstance } from "fastify";
import { AppError } from "../../core/app-error.ts";
import type { LiveChanges } from "../../core/live-changes.ts";
import { hashSessionToken, isOver, type LoginSessionStore } from "../../core/login-session.ts";
import type { Clock } from "../../runtime/ports.ts";
import type { SessionCookie } from "../cookies.ts";
import { isCrossSiteRequest } from "../request/same-site.ts";
import { neverEnds } from "../socket-guard.ts";
import { LiveStreams } from "./live-streams.ts";

interface Deps {
  loginSessions: Pick<LoginSessionStore, "find">;
  liveChanges: LiveChanges;
  clock: Clock;
}

/** Proxies must neither hold back nor compress what comes piece by piece. */
const headers = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

export function liveRoute(
  app: FastifyInstance,
  deps: Deps,
  cookie: SessionCookie,
  streams = new LiveStreams(),
): LiveStreams {
  deps.liveChanges.onChange((change) => streams.tell(change));
  app.addHook("preClose", async () => streams.close());
  app.get(LIVE_PATH, async (request, reply) => {
    if (isCrossSiteRequest(request.headers)) throw new AppError("cross_site");
    const session = await openSession(deps, cookie.read(request));
    if (session === null) throw new AppError("not_signed_in");
    neverEnds(request.raw);
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headers });
    streams.open({ userId: session.userId, response: raw, isOver: session.isOver });
  });
  return streams;
}

/** Reads the session without noting that it was used: an open page is no activity. */
async function openSession({ loginSessions, clock }: Deps, token: string | null) {
  const tokenHash = token === null ? null : hashSessionToken(token);
  if (tokenHash === null) return null;
  let known = await loginSessions.find(tokenHash);
  if (known === null || isOver(known, clock.now())) return null;
  return {
    userId: known.userId,
    async isOver(isSuspected: boolean): Promise<boolean> {
      if (!isSuspected && known !== null && !isOver(known, clock.now())) return false;
      known = await loginSessions.find(tokenHash);
      return known === null || isOver(known, clock.now());
    },
  };
}
