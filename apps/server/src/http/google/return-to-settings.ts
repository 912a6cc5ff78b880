/**
 * Finishes a federated flow that was started in Settings, and redirects back to Settings whether it succeeded or not;
 * to `/auth` if the login session has ended or can't be renewed.
 */
import { googleLinkedHash, provenHash } from "@kauke/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { checkLoginSession } from "../../core/login-session.ts";
import type { FlowSecrets } from "../../core/sign-in/federated-issuer.ts";
import { finishSettingsFlow } from "../../core/sign-in/federated-settings.ts";
import type { FlowFailure } from "../../core/sign-in/federated-sign-in.ts";
import type { LaterWork } from "../request/later-work.ts";
import { notifyOwner } from "../sign-in/ways-in-routes.ts";
import { type GoogleSessionParts, openGoogleSession } from "./open-google-session.ts";

interface Parts extends GoogleSessionParts {
  later: LaterWork;
  fail(reply: FastifyReply, failure: FlowFailure, page?: string): FastifyReply;
}

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** @param flow secrets of the federated flow that the login session of this request started */
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
