/** Port of the OpenID Connect issuer for federated sign-in. The implementation, over the network, is in operate. */

import type { WaysInAction } from "@kauke/contract";

/** A flow that a signed-in user started in Settings. */
export type SettingsFlow =
  | { kind: "link"; userId: string }
  /** Re-authenticates the user by the linked account; Settings then continues with the change named by `action`. */
  | { kind: "prove"; userId: string; action: WaysInAction };

/** Secrets of one flow in progress, and the URI the issuer redirects to. */
export interface FlowSecrets {
  /** Parameter `state` of the request to the issuer: ties the issuer's redirect to this flow (RFC 6749 §10.12). */
  state: string;
  /** Parameter `nonce` of the request to the issuer: ties the ID token to this flow (OpenID Connect Core §3.1.2.1). */
  nonce: string;
  /** PKCE code verifier (RFC 7636): only the client that requested the authorization code can redeem it. */
  verifier: string;
  redirectUri: string;
  /** Path of the page for signed-in users on which a sign-in was started, e.g. `/settings`; absent for the dashboard. */
  returnTo?: string;
  /** Set for a flow that was started in Settings; otherwise the flow is a sign-in. */
  settings?: SettingsFlow;
}

/** A person as the issuer describes them; every field has been checked and is within its length limit. */
export interface FederatedPerson {
  issuer: string;
  /** Subject identifier: permanent, and never reassigned by this issuer. */
  subject: string;
  /** E-mail address of the person; `null` unless the issuer says that it has verified the address. */
  email: string | null;
  /**
   * Whether the issuer hosts the mailbox, so that nobody else can have it now. Otherwise the address was verified once,
   * perhaps long ago.
   */
  isEmailHosted: boolean;
  firstName: string | null;
  lastName: string | null;
  profileImageUrl: string | null;
}

/** Reasons for a failure at the issuer, as a closed set; messages of the issuer or a library are never passed on. */
export type IssuerFailure = "unreachable" | "denied" | "code_refused" | "answer_invalid";

export interface FederatedIssuer {
  /** Issuer URL as configured, equal to `FederatedPerson.issuer`. */
  readonly issuer: string;
  /**
   * Starts a flow. @returns the URL to send the browser to; `null` while the issuer is unreachable or its metadata is
   * invalid
   */
  authorizationUrl(secrets: FlowSecrets): Promise<string | null>;
  /** Redeems the authorization code and verifies the ID token. @param query query string of the redirect back */
  redeem(query: string, secrets: FlowSecrets): Promise<FederatedPerson | IssuerFailure>;
}
