/** Unfinished federated sign-ins: rows of `one_time_token` that live ten minutes. */
import type { FlowSecrets } from "../../../core/sign-in/federated-issuer.ts";
import type { SignInFlowStore } from "../../../core/sign-in/sign-in-flow.ts";
import type { StoreContext } from "../../store-context.ts";
import { anonymousTokens, OPEN_MAX } from "./anonymous-tokens.ts";

export function signInFlowStore(context: StoreContext, openMax = OPEN_MAX): SignInFlowStore {
  return anonymousTokens<FlowSecrets>(context, { kind: "google", openMax });
}
