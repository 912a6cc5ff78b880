/** The two redirects of federated sign-in. A failure redirects to a page, which reads the reason from a cookie. */
import { type GoogleFailure, googleFailureHash, googleLinkedHash, type PageEvent, provenHash } from "@kauke/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { checkLoginSession, openIfStill } from "../../core/login-session.ts";
import type { FlowSecrets } from "../../core/sign-in/federated-issuer.ts";
import { finishSettingsFlow } from "../../core/sign-in/federated-settings.ts";
import {
  beginFederatedSignIn,
  type FlowFailure,
  finishFederatedSignIn,
  takeFlow,
} from "../../core/sign-in/federated-sign-in.ts";
import type { Logger, Metrics } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import { type BrowserCookie, googleCookies, type SessionCookie } from "../cookies.ts";
import { clientAddress, deviceName } from "../request/client.ts";
import type { LaterWork } from "../request/later-work.ts";
import { callbackPath, notifyOwner, redirectUri } from "../sign-in/method-routes.ts";
import { rememberBrowser } from "../sign-in/routes.ts";
import { personalPath } from "../site/page-routes.ts";

interface GoogleRouteOptions {
  deps: CoreDeps;
  later: LaterWork;
  config: Pick<Config, "publicUrl" | "publicUrlGiven" | "http">;
  sessionCookie: SessionCookie;
  browserCookie: BrowserCookie;
  logger: Logger;
  metrics: Metrics;
}

export function googleRoutes(app: FastifyInstance, options: GoogleRouteOptions): void {
  const { deps, config, sessionCookie, browserCookie, logger, metrics } = options;
  const cookies = googleCookies(config.publicUrl.protocol === "https:");
  const fail = (reply: FastifyReply, { failure, code }: FlowFailure, page = "/auth") => {
    if (code !== undefined) logger.warn("google_sign_in_failed", { code });
    cookies.writeFailure(reply, failure);
    return reply.redirect(`${page}${googleFailureHash}`, 302);
  };

  // No HEAD route: it would start a flow that nobody continues.
  app.get("/api/auth/google", { exposeHeadRoute: false }, async (request, reply) => {
    // A link or image on another site must neither sign a user in nor use up the rate limit of the user's network.
    if (request.headers["sec-fetch-site"] === "cross-site") return reply.redirect("/auth", 302);
    const returnTo = personalPath((request.query as Record<string, unknown>).returnTo);
    const asked = { redirectUri: redirectUri(request, config), clientAddress: clientAddress(request), returnTo };
    const begun = await beginFederatedSignIn(deps, asked);
    if ("failure" in begun) return fail(reply, begun, returnTo ?? undefined);
    cookies.writeFlow(reply, begun.browserToken);
    return reply.redirect(begun.url, 302);
  });

  app.get(callbackPath, { exposeHeadRoute: false }, async (request, reply) => {
    const query = request.url.slice(request.url.indexOf("?") + 1);
    const sessionToken = sessionCookie.read(request);
    const flow = await takeFlow(deps, { query, browserToken: cookies.readFlow(request), sessionToken });
    if (flow === null) return fail(reply, { failure: deps.federatedIssuer === null ? "off" : "expired" });
    if (flow.settings !== undefined) return returnToSettings({ ...options, fail }, { request, reply }, { query, flow });
    // A flow can be used only once, even if it failed.
    cookies.clearFlow(reply);
    const returned = { query, secrets: flow, clientAddress: clientAddress(request) };
    const finished = await finishFederatedSignIn(deps, returned);
    const page = flow.invite === undefined ? flow.returnTo : "/register";
    if ("failure" in finished) return fail(reply, finished, page);
    const { userId, googleId } = finished;
    const token = await openGoogleSession(options, request, { userId, googleId });
    if (token === null) return fail(reply, { failure: "failed" satisfies GoogleFailure }, page);
    sessionCookie.write(reply, token);
    const user = await deps.users.find(userId);
    const browser = { value: browserCookie.read(request), write: (value: string) => browserCookie.write(reply, value) };
    if (user !== null) rememberBrowser(deps, user, browser);
    // The server counts this sign-in, since the page that opens next does not know how the user signed in.
    metrics.count("kauke_page_events_total", { event: "login_success" satisfies PageEvent });
    return reply.redirect(flow.returnTo ?? "/dashboard", 302);
  });
}

export interface GoogleSessionParts {
  deps: CoreDeps;
  sessionCookie: SessionCookie;
}

/** @returns `null` when the account was deleted meanwhile, or the Google account removed from it */
export async function openGoogleSession(
  { deps, sessionCookie }: GoogleSessionParts,
  request: FastifyRequest,
  { userId, googleId }: { userId: string; googleId: string },
): Promise<string | null> {
  const device = deviceName(request.headers["user-agent"]);
  const signIn = { userId, formerToken: sessionCookie.read(request), device };
  try {
    return await openIfStill(deps, signIn, (user) => user.googleId === googleId);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === "credentials_wrong") return null;
    throw thrown;
  }
}

interface Parts extends GoogleSessionParts {
  later: LaterWork;
  fail(reply: FastifyReply, failure: FlowFailure, page?: string): FastifyReply;
}

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Finishes a flow of Settings and redirects back there; to `/auth` if the session has ended or can't be renewed. */
export async function returnToSettings(
  parts: Parts,
  { request, reply }: Exchange,
  { query, flow }: { query: string; flow: FlowSecrets },
): Promise<FastifyReply> {
  const { deps, later, sessionCookie, fail } = parts;
  const token = sessionCookie.read(request) ?? "";
  const userId = (await checkLoginSession(deps, token))?.userId;
  if (userId === undefined || flow.settings === undefined) return fail(reply, { failure: "expired" });
  const back = { query, secrets: flow, settings: flow.settings, token, userId };
  const outcome = await finishSettingsFlow(deps, back);
  if ("failure" in outcome) return fail(reply, outcome, "/settings");
  if (outcome.kind === "proven") {
    const opened = await openGoogleSession(parts, request, { userId, googleId: outcome.googleId });
    if (opened === null) return fail(reply, { failure: "failed" });
    sessionCookie.write(reply, opened);
    return reply.redirect(`/settings${provenHash(outcome.action)}`, 302);
  }
  const user = await deps.users.find(userId);
  if (user !== null) notifyOwner(deps, later, { user, change: { kind: "way_linked", way: "google" } });
  return reply.redirect(`/settings${googleLinkedHash}`, 302);
}
