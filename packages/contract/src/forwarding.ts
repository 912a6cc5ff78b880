/** Aliases at the forwarding provider: which it does not have as wanted, and why. */
import * as z from "zod";
import type { EndpointShapes } from "./endpoint.ts";
import { type HeldReason, heldReasons, type ProviderProblem, providerProblems } from "./provider-problems.ts";
import type { RouteName } from "./routes.ts";

export const unfinishedAliasWire = z.object({
  aliasId: z.uuid(),
  /** `waiting`: not yet at the provider; `failed`: tried in vain, tried again; `held`: switched off there. */
  state: z.enum(["waiting", "failed", "held"]),
  problem: z.enum(Object.keys(providerProblems) as [ProviderProblem]).nullable(),
  held: z.enum(Object.keys(heldReasons) as [HeldReason]).nullable(),
  /** `null` when nothing is to be tried. */
  nextTryAt: z.iso.datetime().nullable(),
});
export type UnfinishedAliasWire = z.infer<typeof unfinishedAliasWire>;

export const forwardingWire = z.object({
  /** `null`: this server forwards by itself. */
  provider: z.object({ name: z.string(), smtpHost: z.string() }).nullable(),
  counts: z.object({ waiting: z.int(), failed: z.int(), held: z.int() }),
  /** At most `limits.unfinishedShown`, in the order in which they are tried. */
  unfinished: z.array(unfinishedAliasWire),
});
export type ForwardingWire = z.infer<typeof forwardingWire>;

export const forwardingEndpoints = {
  getForwarding: {
    summary: "Who forwards the aliases' mail, and the aliases that a forwarding provider does not have as wanted",
    status: 200,
    response: forwardingWire,
  },
  setUpAlias: {
    summary: "Try now to set up an alias at the forwarding provider",
    params: z.object({ aliasId: z.string() }),
    status: 200,
    errors: [429],
    response: z.object({ message: z.string() }),
  },
} as const satisfies Partial<Record<RouteName, EndpointShapes>>;
