/** Carries one change of an alias out at the forwarding provider. */

import type { AliasStore } from "../alias/alias.ts";
import { aliasAddress } from "../alias/alias.ts";
import { type AskDeps, askForConfirmation } from "../destination/confirmation.ts";
import type { ConfirmationSettings } from "../destination/destination.ts";
import type { SmtpCredentialStore } from "../smtp-credential.ts";
import type { Brought, ForwardingProvider, KnownRecord, ProviderRecord } from "./forwarding-provider.ts";
import type { ClaimedAlias, ProviderAliasStore } from "./provider-alias.ts";
import { type ProviderTimes, providerTimes } from "./provider-times.ts";
import { wantedRecord } from "./wanted-record.ts";

export interface StepDeps extends AskDeps {
  aliases: Pick<AliasStore, "find" | "findRoute">;
  smtpCredentials: Pick<SmtpCredentialStore, "readPassword">;
  providerAliases: Pick<ProviderAliasStore, "note" | "settle">;
  provider: ForwardingProvider;
  /** `null`: mailboxes need no confirmation. */
  confirmation: ConfirmationSettings | null;
  /** The usual ones by default. */
  times?: ProviderTimes;
}

const READS_MAX = 3;

/** @returns what the provider did */
export async function keepInStep(deps: StepDeps, claimed: ClaimedAlias, signal: AbortSignal): Promise<Brought> {
  const { aliasId, userId, known } = claimed;
  const wanted = await readSettled(deps, claimed);
  if (wanted === "changing") {
    const brought = { kind: "failed", problem: "busy", retryAfterSeconds: null, isSure: true, known } as const;
    await deps.providerAliases.settle(claimed, outcomeOf(deps, { claimed, wanted: null, brought }));
    return brought;
  }
  const isRecheck = claimed.isRecheck || claimed.wasInterrupted;
  const note = (now: KnownRecord) => deps.providerAliases.note(claimed, now);
  const brought = await deps.provider.bring({ aliasId, userId, wanted, known, isRecheck, note }, signal);
  await deps.providerAliases.settle(claimed, outcomeOf(deps, { claimed, wanted, brought }));
  return brought;
}

/** Alias and route are two reads: a rename between them is read again. */
async function readSettled(deps: StepDeps, claimed: ClaimedAlias): Promise<ProviderRecord | null | "changing"> {
  for (let reads = 1; reads < READS_MAX; reads++) {
    const wanted = await readWanted(deps, claimed);
    if (wanted !== "changing") return wanted;
  }
  return readWanted(deps, claimed);
}

async function readWanted(
  deps: StepDeps,
  { userId, aliasId }: ClaimedAlias,
): Promise<ProviderRecord | null | "changing"> {
  const alias = await deps.aliases.find(userId, aliasId);
  if (alias === null) return null;
  const route = await deps.aliases.findRoute(aliasAddress(alias.name, alias.domain));
  if (route?.aliasId !== aliasId) return "changing";
  const password = await deps.smtpCredentials.readPassword(userId, aliasId);
  const isConfirmationNeeded = deps.confirmation !== null;
  if (deps.confirmation !== null)
    await askNewMailboxes(deps, deps.confirmation, { userId, unconfirmed: route.unconfirmed });
  return wantedRecord({ alias, route, password, isConfirmationNeeded });
}

/** Our engine asks with the first message for a mailbox; of the provider's messages we see none. */
async function askNewMailboxes(
  deps: StepDeps,
  settings: ConfirmationSettings,
  { userId, unconfirmed }: { userId: string; unconfirmed: ReadonlyMap<string, "new" | "asked"> | undefined },
): Promise<void> {
  for (const [address, state] of unconfirmed ?? []) {
    if (state !== "new") continue;
    // A limit or an outage: the owner can ask for the message in the app.
    await askForConfirmation(deps, settings, { userId, address, isByOwner: false }).catch(() => {});
  }
}

interface Tried {
  claimed: ClaimedAlias;
  wanted: ProviderRecord | null;
  brought: Brought;
}

function outcomeOf({ clock, times = providerTimes }: StepDeps, { claimed, wanted, brought }: Tried) {
  const now = clock.now().getTime();
  const isDecided = brought.kind === "done" || brought.problem === "refused" || brought.problem === "conflict";
  const isOpen = !brought.isSure || claimed.wasInterrupted || (claimed.isRecheck && !isDecided);
  const settled = { known: brought.known, recheckAt: isOpen ? new Date(now + times.recheckMs) : null };
  if (brought.kind === "failed") {
    const { problem, retryAfterSeconds } = brought;
    const mostMs = problem === "refused" || problem === "conflict" ? times.refusedMaxMs : times.retryMaxMs;
    const waitMs = Math.max((retryAfterSeconds ?? 0) * 1000, Math.min(times.retryMinMs * 2 ** claimed.tries, mostMs));
    return { ...settled, kind: "failed" as const, problem, notBefore: new Date(now + waitMs) };
  }
  return wanted === null
    ? { ...settled, kind: "gone" as const }
    : { ...settled, kind: "done" as const, held: wanted.held };
}
