/** Sentences about aliases at the forwarding provider, without schemas, for pages and commands. */
import { product } from "./limits.ts";

/** What a person reads of an alias that the provider does not have as wanted. */
export const providerProblems = {
  unreachable: "the provider can't be reached",
  timed_out: "the provider did not respond in time",
  busy: "the provider asked us to wait",
  broken_response: "the provider's response did not arrive or could not be read",
  key_refused: "the provider refused this server's API key",
  plan_needed: "the provider's plan does not allow it",
  domain_missing: "the provider does not have this domain",
  refused: "the provider refused it",
  conflict: "this address exists there already, with other destinations",
} as const;
export type ProviderProblem = keyof typeof providerProblems;

/** Why an alias is switched off at the provider although it is active. */
export const heldReasons = {
  encrypted: "Its mail is to be forwarded encrypted, which the provider can't do.",
  unconfirmed: "None of its mailboxes is confirmed yet. Until one is, senders are asked to try again later.",
  no_destination: "None of its destinations may get mail.",
} as const;
export type HeldReason = keyof typeof heldReasons;

/** Said where something would be switched on that the provider can't do. */
export const engineNeededText = (provider: string): string =>
  `Needs ${product.name}'s own engine; this server forwards through ${provider}.`;
