/**
 * Federated sign-in's two redirects. They are navigations, so whatever goes wrong ends at `/auth` with a word in a cookie, and
 * the page has the sentence. Nothing is changed but what the sign-in itself needs.
 */
import { type GoogleFailure, googleFailureHash, type PageEvent } from "@kauke/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Config } from "../../config.ts";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { openLoginSession, type SignIn } from "../../core/login-session/open-login-session.ts";
import type { Logger, Metrics } from "../../core/ports.ts";
import { beginFederatedSignIn, type FlowFailure, finishFederatedSignIn } from "../../core/user/federated-sign-in.ts";
import { clientAddress } from "../client-address.ts";
import { deviceName } from "../device-name.ts";
import type { SessionCookie } from "../session-cookie.ts";
import { googleCookies } from "./cookies.ts";
import { callbackPath, redirectUri } from "./redirect-uri.ts";

interface GoogleRouteOptions {
  deps: CoreDeps;
  config: Pick<Config, "publicUrl" | "publicUrlGiven" | "http">;
  sessionCookie: SessionCookie;
  logger: Logger;
  metrics: Metrics;
}

export function googleRoutes(app: FastifyInstance, options: GoogleRouteOptions): void {
  const { deps, config, sessionCookie, logger, metrics } = options;
  const cookies = googleCookies(config.publicUrl.protocol === "https:");
  const fail = (reply: FastifyReply, { failure, code }: FlowFailure) => {
    if (code !== undefined) logger.warn("google_sign_in_failed", { code });
    cookies.writeFailure(reply, failure);
    return reply.redirect(`/auth${googleFailureHash}`, 302);
  };

  // A HEAD would begin a sign-in that nobody goes on with.
  app.get("/api/auth/google", { exposeHeadRoute: false }, async (request, reply) => {
    // Another site's link or picture neither changes who is signed in nor uses up the network's tries.
    if (request.headers["sec-fetch-site"] === "cross-site") return reply.redirect("/auth", 302);
    const asked = { redirectUri: redirectUri(request, config), clientAddress: clientAddress(request) };
    const begun = await beginFederatedSignIn(deps, asked);
    if ("failure" in begun) return fail(reply, begun);
    cookies.writeFlow(reply, begun.browserToken);
    return reply.redirect(begun.url, 302);
  });

  app.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
    const query = request.url.slice(request.url.indexOf("?") + 1);
    const finished = await finishFederatedSignIn(deps, { query, browserToken: cookies.readFlow(request) });
    if ("failure" in finished && finished.failure === "expired") return fail(reply, finished);
    // Its one use is over, however it ended.
    cookies.clearFlow(reply);
    if ("failure" in finished) return fail(reply, finished);
    const device = deviceName(request.headers["user-agent"]);
    const signIn = { userId: finished.userId, formerToken: sessionCookie.read(request), device };
    const token = await openSession(deps, signIn);
    if (token === null) return fail(reply, { failure: "failed" satisfies GoogleFailure });
    sessionCookie.write(reply, token);
    // The page that opens next does not know how its person came in.
    metrics.count("kauke_page_events_total", { event: "login_success" satisfies PageEvent });
    return reply.redirect("/dashboard", 302);
  });
}

/** @returns `null` when the account was deleted meanwhile */
async function openSession(deps: CoreDeps, signIn: SignIn): Promise<string | null> {
  try {
    return await openLoginSession(deps, signIn);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "credentials_wrong") return null;
    throw thrown;
  }
}
