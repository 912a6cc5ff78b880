import { invitations } from "@kauke/invitations";
import { answerWording, withAliasInQuotes } from "@kauke/quotes";
import type { AliasSources } from "./core/import/imported-alias.ts";
import type { LeakGuard } from "./core/leak-guard.ts";
import type { Invitations, ReplaceInQuotes } from "./mail/message/optional-features.ts";
import { aliasSources } from "./platform/alias-sources.ts";
import { leakGuardWorker } from "./platform/workers/leak-guard-worker.ts";

export interface Features {
  leakGuard(): LeakGuard & { close(): Promise<void> };
  invitations: Invitations;
  replaceInQuotes: ReplaceInQuotes;
  aliasSources: AliasSources;
}

/** Features that the server can do without. Each is left out by the constant that its line names. */
export const allFeatures: Features = {
  leakGuard: leakGuardWorker, // () => noLeakGuard
  invitations: invitations(answerWording), // noInvitations
  replaceInQuotes: withAliasInQuotes, // quotesAsWritten
  aliasSources, // noAliasSources
};
