/** The issuer of federated sign-in (OpenID Connect) as core sees it. Real in operate, over the network. */

import type { WaysInAction } from "@kauke/contract";

/** A round trip that somebody who is signed in began in Settings. */
export type SettingsFlow =
  | { kind: "link"; userId: string }
  /** To sign in anew; then the browser goes on with the action. */
  | { kind: "prove"; userId: string; action: WaysInAction };

/** What one sign-in under way must keep secret, and where its answer comes back to. */
export interface FlowSecrets {
  /** RFC 6749 §10.12: the answer belongs to this sign-in. */
  state: string;
  /** OpenID Connect Core §3.1.2.1: the ID token was made for this sign-in. */
  nonce: string;
  /** RFC 7636: whoever redeems the code is who asked for it. */
  verifier: string;
  redirectUri: string;
  /** Set for a flow that began in Settings. Without it, the flow signs somebody in. */
  settings?: SettingsFlow;
}

/** Who the issuer says is there; every field within bounds. */
export interface FederatedPerson {
  issuer: string;
  /** Never given to anybody else by this issuer, and never changed. */
  subject: string;
  /** `null` unless the issuer says that it is verified. */
  email: string | null;
  /** The issuer says that it hosts the mailbox: nobody else can hold it now. Otherwise it was verified once, perhaps long ago. */
  isEmailHosted: boolean;
  firstName: string | null;
  lastName: string | null;
  profileImageUrl: string | null;
}

/** Our own words for what went wrong at the issuer; nothing of what it or a library says goes further. */
export type IssuerFailure = "unreachable" | "denied" | "code_refused" | "answer_invalid";

export interface FederatedIssuer {
  /** As it is configured, and as `FederatedPerson` names it. */
  readonly issuer: string;
  /** Where the browser goes to. @returns `null` while the issuer can't be reached or makes no sense */
  authorizationUrl(secrets: FlowSecrets): Promise<string | null>;
  /** Redeems the answer's code and checks all that is said. @param query of the address the browser came back to */
  redeem(query: string, secrets: FlowSecrets): Promise<FederatedPerson | IssuerFailure>;
}
