/** Makes the provider's copy of one alias as wanted, by the calls that `next-call.ts` decides on. */
import { asciiAddress } from "@kauke/mail-rfc";
import { aliasAddress } from "../../core/alias/alias.ts";
import type { BringInput, Brought, KnownRecord } from "../../core/forwarding/forwarding-provider.ts";
import type { ProviderCopy } from "../../core/forwarding/provider-account.ts";
import { newSmtpPassword } from "../../core/smtp-credential.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import { aliasesPath, bodyOf, readCopy, showsRecord } from "./alias-record.ts";
import type { ApiRequest, ApiResponse, CallApi } from "./api-client.ts";
import type { CallGates } from "./call-gates.ts";
import { nextCall, passwordMark, type Step } from "./next-call.ts";
import {
  asRefused,
  asSet,
  endOf,
  forgetAddress,
  type Round,
  recordOf,
  withKnown,
  withLate,
  withoutCopy,
  withSeen,
} from "./round.ts";

export interface BringDeps {
  api: CallApi;
  gates: CallGates;
  clock: Pick<Clock, "now">;
  random: Pick<Random, "bytes">;
  /** A call without a response is carried out by then, or never will be. */
  lateMs: number;
}

/** More calls than any change needs. */
const STEPS_MAX = 30;
/** Mark of a password that a lost call may have set, or not. */
const UNSURE = "?";

type Failure = Extract<ApiResponse, { kind: "failed" }>;
/** The round after a call, and why it can't go on. */
type Outcome = { round: Round; failure?: Failure };

export async function bring(deps: BringDeps, input: BringInput, signal: AbortSignal): Promise<Brought> {
  const { aliasId, wanted, isRecheck } = input;
  const now = deps.clock.now().getTime();
  // Until this look has succeeded, nothing is known to be there as wanted.
  const known = isRecheck ? { ...input.known, mark: null } : input.known;
  let round: Round = { aliasId, wanted, known, isRecheck, now, seen: new Map(), isSet: false, refused: new Set() };
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const step = nextCall(round);
    if (step.kind === "finish") return { kind: "done", ...endOf(round, true) };
    if (step.kind === "give_up") return { ...failedWith(step.problem), ...endOf(round, true) };
    if (signal.aborted) return { ...failedWith("timed_out"), ...endOf(round, true) };
    const outcome = await carryOut({ ...deps, input, signal }, round, step);
    round = outcome.round;
    if (outcome.failure === undefined) continue;
    const { problem, retryAfterSeconds, isUncertain } = outcome.failure;
    return { ...failedWith(problem), retryAfterSeconds, ...endOf(round, !isUncertain) };
  }
  return { ...failedWith("busy"), ...endOf(round, true) };
}

const failedWith = (problem: Failure["problem"]) => ({ kind: "failed", problem, retryAfterSeconds: null }) as const;
const failure = (problem: Failure["problem"], isUncertain: boolean): Failure => ({
  ...failedWith(problem),
  isUncertain,
});

type Doing = BringDeps & { input: BringInput; signal: AbortSignal };
type CallStep = Exclude<Step, { kind: "finish" | "give_up" }>;

function carryOut(doing: Doing, round: Round, step: CallStep): Promise<Outcome> {
  switch (step.kind) {
    case "look":
      return look(doing, round, step.address);
    case "read":
      return readById(doing, round, step.id);
    case "create":
      return create(doing, round);
    case "update":
      return update(doing, round, step.id);
    case "turn_off":
      return turnOff(doing, round, step.copy);
    case "delete":
      return remove(doing, round, step.copy);
    case "set_password":
      return setPassword(doing, round, step.id);
  }
}

async function look({ api, signal }: Doing, round: Round, address: string): Promise<Outcome> {
  const at = address.lastIndexOf("@");
  const domain = address.slice(at + 1);
  const response = await api({ method: "GET", path: aliasesPath(domain, address.slice(0, at)) }, signal);
  if (response.kind === "failed") return { round, failure: response };
  if (response.status === 404) return { round: withSeen(round, address, null) };
  const copy = response.status === 400 ? null : readCopy(response.json, domain);
  if (copy?.address !== address) return { round, failure: failure("broken_response", false) };
  return { round: withSeen(round, address, copy) };
}

async function readById({ api, signal }: Doing, round: Round, id: string): Promise<Outcome> {
  const domain = domainOf(round);
  const response = await api({ method: "GET", path: aliasesPath(domain, id) }, signal);
  if (response.kind === "failed") return { round, failure: response };
  if (response.status === 404) return { round: withoutCopy(round, id) };
  const copy = response.status === 400 ? null : readCopy(response.json, domain);
  if (copy?.providerId !== id) return { round, failure: failure("broken_response", false) };
  return { round: withSeen(round, id, copy) };
}

async function create(doing: Doing, round: Round): Promise<Outcome> {
  const wanted = recordOf(round);
  const address = aliasAddress(wanted.name, wanted.domain);
  const made = await gated(doing, "create", {
    before: withLate({ ...round.known, address }, { address, until: lateUntil(doing) }),
    request: { method: "POST", path: aliasesPath(wanted.domain), body: bodyOf(round.aliasId, wanted) },
  });
  const noted = withKnown(round, withLate({ ...round.known, address }, { address, until: lateUntil(doing) }));
  if (made.kind === "failed") return { round: made.isUncertain ? noted : round, failure: made };
  const known = { ...round.known, address };
  if (made.status === 404) return { round, failure: failure("domain_missing", false) };
  if (made.status === 400) return { round: asRefused(forgetAddress(withKnown(round, known), address), "create") };
  const copy = readCopy(made.json, wanted.domain);
  if (copy === null || !showsRecord(copy, round.aliasId, wanted))
    return { round: noted, failure: failure("broken_response", true) };
  return { round: asSet(withKnown(round, { ...known, passwordMark: null }), copy) };
}

async function update(doing: Doing, given: Round, id: string): Promise<Outcome> {
  const wanted = recordOf(given);
  const address = aliasAddress(wanted.name, wanted.domain);
  const own = ownFound(given, id);
  const round = own === null ? given : withKnown(given, { ...given.known, providerId: id, address: own.address });
  // Somebody else's copy, until our mark is in it.
  const isAdopted = round.known.providerId !== id;
  const before = isAdopted ? withLate({ ...round.known, address }, { address, until: lateUntil(doing) }) : round.known;
  const body = bodyOf(round.aliasId, wanted);
  const request = { method: "PUT", path: aliasesPath(wanted.domain, id), body } as const;
  const response = await gated(doing, "other", { request, before: isAdopted || own !== null ? before : null });
  // Whether the former record is still there is not known any more.
  const unsure = withKnown(round, { ...before, mark: null });
  if (response.kind === "failed") return { round: response.isUncertain ? unsure : round, failure: response };
  if (response.status === 404) return { round: withoutCopy(round, id) };
  if (response.status === 400) return { round: asRefused(round, `update ${id}`) };
  const copy = readCopy(response.json, wanted.domain);
  if (copy?.providerId !== id || !showsRecord(copy, round.aliasId, wanted))
    return { round: unsure, failure: failure("broken_response", true) };
  return { round: asSet(round, copy) };
}

/** Our copy, if it was found by its address, so that its id is not stored yet. */
function ownFound({ known, seen, aliasId }: Round, id: string): ProviderCopy | null {
  if (known.providerId === id) return null;
  const found = [...seen.values()].find((copy) => copy?.providerId === id);
  return found?.aliasId === aliasId ? found : null;
}

async function turnOff(doing: Doing, round: Round, copy: ProviderCopy): Promise<Outcome> {
  const { name, domain } = partsOf(copy);
  // An alias that stays is off for a time only.
  const isStaying = round.wanted !== null && aliasAddress(round.wanted.name, round.wanted.domain) === copy.address;
  const codeIfDisabled = isStaying ? (421 as const) : (550 as const);
  const off = { name, recipients: copy.recipients, isEnabled: false, codeIfDisabled };
  const path = aliasesPath(domain, copy.providerId);
  const body = bodyOf(round.aliasId, off);
  const response = await gated(doing, "other", { request: { method: "PUT", path, body } });
  const unsure = withKnown(round, { ...round.known, mark: null });
  if (response.kind === "failed") return { round: response.isUncertain ? unsure : round, failure: response };
  if (response.status === 404) return { round: withoutCopy(round, copy.providerId) };
  if (response.status === 400) return { round: asRefused(round, `turn_off ${copy.providerId}`) };
  const now = readCopy(response.json, domain);
  if (now?.providerId !== copy.providerId || now.isEnabled)
    return { round: unsure, failure: failure("broken_response", true) };
  return { round: withSeen(withSeen(unsure, copy.providerId, now), copy.address, now) };
}

async function remove(doing: Doing, round: Round, copy: ProviderCopy): Promise<Outcome> {
  const { domain } = partsOf(copy);
  const path = aliasesPath(domain, copy.providerId);
  const response = await gated(doing, "other", { request: { method: "DELETE", path } });
  if (response.kind === "failed") return { round, failure: response };
  if (response.status === 400) return { round: asRefused(round, `delete ${copy.providerId}`) };
  if (response.status !== 404 && readCopy(response.json, domain)?.providerId !== copy.providerId)
    return { round, failure: failure("broken_response", true) };
  return { round: withSeen(withoutCopy(round, copy.providerId), copy.address, null) };
}

async function setPassword(doing: Doing, round: Round, id: string): Promise<Outcome> {
  const wanted = recordOf(round);
  // Without a credential nobody may send: a password that nobody keeps takes the former one's place.
  const password = wanted.password ?? newSmtpPassword(doing.random);
  const { late = [], ...known } = round.known;
  const earlier = late.filter((call) => call.address !== null || call.until > round.now);
  const noted = withLate({ ...known, passwordMark: UNSURE, late: earlier }, { address: null, until: lateUntil(doing) });
  const path = `${aliasesPath(wanted.domain, id)}/generate-password`;
  const body = { new_password: password, is_override: "true" };
  const response = await gated(doing, "password", { before: noted, request: { method: "POST", path, body } });
  if (response.kind === "failed")
    return { round: response.isUncertain ? withKnown(round, noted) : round, failure: response };
  if (response.status === 404) return { round: withoutCopy(round, id), failure: failure("busy", false) };
  if (response.status === 400) return { round: asRefused(round, "password") };
  const shown = Object(response.json) as Record<string, unknown>;
  const username = typeof shown["username"] === "string" ? asciiAddress(shown["username"]) : null;
  if (shown["password"] !== password || username !== aliasAddress(wanted.name, wanted.domain))
    return { round: withKnown(round, noted), failure: failure("broken_response", true) };
  const mark = passwordMark(wanted);
  return { round: withKnown(round, { ...known, passwordMark: mark, ...(earlier.length > 0 && { late: earlier }) }) };
}

/** Notes what the call may leave behind, and makes it unless the provider asked us to wait with this kind. */
async function gated(
  { api, gates, input, signal }: Doing,
  kind: "create" | "password" | "other",
  { before = null, request }: { before?: KnownRecord | null; request: ApiRequest },
): Promise<ApiResponse> {
  const waitSeconds = gates.waitSeconds(kind, input.userId);
  if (waitSeconds > 0) return { ...failure("busy", false), retryAfterSeconds: waitSeconds };
  if (before !== null && !(await input.note(before))) return failure("busy", false);
  gates.spend(kind, input.userId);
  const response = await api(request, signal);
  if (response.kind !== "failed" || response.problem !== "busy") return response;
  return { ...response, retryAfterSeconds: gates.close(kind, response.retryAfterSeconds) };
}

function partsOf({ address }: ProviderCopy): { name: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { name: address.slice(0, at), domain: address.slice(at + 1) };
}

/** An alias keeps its domain. */
function domainOf({ known, wanted }: Round): string {
  return wanted?.domain ?? known.address?.split("@").at(-1) ?? "";
}

const lateUntil = ({ clock, lateMs }: BringDeps) => clock.now().getTime() + lateMs;
