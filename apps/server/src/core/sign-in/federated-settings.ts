/** Federated flows of Settings, tied to session and state, so that no other browser or session can continue one. */
import { type GoogleFailure, type WaysInAction, waysInMessages } from "@kauke/contract";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { readFreshFor, requireFreshProof } from "../login-session.ts";
import type { FederatedPerson, FlowSecrets, SettingsFlow } from "./federated-issuer.ts";
import { type FlowFailure, failedAtIssuer, requireFlow } from "./federated-sign-in.ts";

type BeginDeps = Pick<
  CoreDeps,
  "users" | "loginSessions" | "federatedIssuer" | "signInFlows" | "random" | "clock" | "rateLimits" | "limitRules"
>;

interface Begin {
  userId: string;
  token: string;
  redirectUri: string;
  clientAddress: string;
}

/** @returns the issuer's URL @throws AppError `proof_needed`, `rate_limited`, `unavailable`, `invalid` */
export async function beginGoogleLink(deps: BeginDeps, begin: Begin): Promise<string> {
  await requireFreshProof(deps, begin.token);
  if ((await deps.users.find(begin.userId))?.googleId !== null)
    throw new AppError("invalid", { message: waysInMessages.hasGoogle });
  return await beginSettingsFlow(deps, begin, { kind: "link", userId: begin.userId });
}

/** @returns the issuer's URL @throws AppError `rate_limited`, `unavailable`, `invalid` */
export async function beginGoogleProof(deps: BeginDeps, begin: Begin & { action: WaysInAction }): Promise<string> {
  const { userId, action } = begin;
  if (((await deps.users.find(userId))?.googleId ?? null) === null)
    throw new AppError("invalid", { message: waysInMessages.noGoogle });
  return await beginSettingsFlow(deps, begin, { kind: "prove", userId, action });
}

async function beginSettingsFlow(deps: BeginDeps, begin: Begin, settings: SettingsFlow): Promise<string> {
  return await requireFlow(deps, { ...begin, browserToken: begin.token, settings });
}

type FinishDeps = Pick<CoreDeps, "users" | "loginSessions" | "federatedIssuer" | "clock">;

export interface SettingsReturn {
  query: string;
  secrets: FlowSecrets;
  settings: SettingsFlow;
  token: string;
  userId: string;
}

export type SettingsOutcome = { kind: "linked" } | { kind: "proven"; googleId: string; action: WaysInAction };

/** Finishes a flow of Settings, which may change only the user's linked Google account. */
export async function finishSettingsFlow(
  deps: FinishDeps,
  { query, secrets, settings, token, userId }: SettingsReturn,
): Promise<SettingsOutcome | FlowFailure> {
  if (deps.federatedIssuer === null) return { failure: "off" };
  if (settings.userId !== userId) return { failure: "expired" };
  if (settings.kind === "link" && (await readFreshFor(deps, token)) === 0) return { failure: "too_late" };
  const person = await deps.federatedIssuer.redeem(query, secrets);
  if (typeof person === "string") return failedAtIssuer(person);
  if (settings.kind === "link") return await link(deps, person, userId);
  const account = await deps.users.findByGoogle(person);
  if (account?.id !== userId) return { failure: "other_person" };
  return { kind: "proven", googleId: person.subject, action: settings.action };
}

async function link(
  { users }: Pick<CoreDeps, "users">,
  person: FederatedPerson,
  userId: string,
): Promise<SettingsOutcome | FlowFailure> {
  const result = await users.attachGoogle(userId, person);
  return result === "linked" ? { kind: "linked" } : { failure: failureOf[result] };
}

const failureOf = { taken: "linked_elsewhere", has_one: "has_one", gone: "failed" } as const satisfies Record<
  string,
  GoogleFailure
>;
