import type { SignInWire, UserWire, WalletChallenge, WalletProofBody } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { t } from "../../texts/texts.ts";
import { ApiError } from "../api-error.ts";
import { call } from "../client.ts";
import { heldInvite } from "./held-invite.ts";
import { checkSession, enterSession } from "./session.ts";

export const signInKey = ["sign-in"];
export const sessionsKey = ["sessions"];

export function useAskPasswordReset() {
  return useMutation({ mutationFn: (email: string) => call("askPasswordReset", { body: { email } }) });
}

/** Checks a link to reset a password without using it up. @param token `null`: the page's address has none */
export function usePasswordReset(token: string | null) {
  return useQuery({
    queryKey: ["password-reset", token],
    queryFn: () => call("readPasswordReset", { body: { token: token ?? "" } }),
    enabled: token !== null,
    gcTime: 0,
  });
}

/** A new password ends every session, so the session is checked again. */
export function useResetPassword() {
  return useMutation({
    mutationFn: (body: { token: string; password: string }) => call("resetPassword", { body }),
    onSuccess: checkSession,
  });
}

export function useAskSignInLink() {
  return useMutation({ mutationFn: (email: string) => call("askSignInLink", { body: { email } }) });
}

/** Checks a sign-in link without using it up. @param isUsed being used or used before: nothing is fetched then */
export function useSignInLink(token: string | null, isUsed: boolean) {
  return useQuery({
    queryKey: ["sign-in-link", token],
    queryFn: () => call("readSignInLink", { body: { token: token ?? "" } }),
    enabled: token !== null && !isUsed,
    gcTime: 0,
  });
}

/** @param onDone called even if the form has unmounted: signing in drops all loaded data */
export function useSignInByLink(onDone: () => void) {
  return useMutation({
    mutationFn: (body: { token: string; password?: string }) => call("signInByLink", { body }),
    onSuccess: ({ user }) => {
      enterSession(user);
      onDone();
    },
  });
}

export function useSignInWays() {
  return useQuery({ queryKey: signInKey, queryFn: () => call("getSignIn") });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { currentPassword: string; newPassword: string }) => call("changePassword", { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionsKey }),
  });
}

export function useAskEmailConfirmation() {
  return useMutation({ mutationFn: () => call("askEmailConfirmation") });
}

export function useConfirmEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => call("confirmEmail", { body: { token } }),
    onSuccess: (ways) => client.setQueryData<SignInWire>(signInKey, ways),
  });
}

export function useLoginSessions() {
  return useQuery({ queryKey: sessionsKey, queryFn: async () => (await call("listSessions")).sessions, gcTime: 0 });
}

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (sessionId: string) => call("endSession", { params: { sessionId } }),
    // Sessions are refetched after a refusal too, since the ended one may have expired by itself.
    onSettled: () => client.invalidateQueries({ queryKey: sessionsKey }),
  });
}

export function useEndOtherSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call("endOtherSessions"),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsKey }),
  });
}

/** Replaces texts that are not the server's own, e.g. of a proxy's page (specification section 8, "Auth"). */
async function withFallbackMessage<T>(request: Promise<T>, fallback: string): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const hasNoMessage = error instanceof ApiError && error.message.startsWith(`${error.status}: `);
    throw hasNoMessage ? new ApiError({ status: error.status, message: fallback }, { cause: error }) : error;
  }
}

export function useSignIn() {
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      withFallbackMessage(call("login", { body }), t("Login failed")),
    onSuccess: ({ user }) => enterSession(user),
  });
}

/** For whoever has no account yet. */
function inviteOf(): { invite?: string } {
  const invite = heldInvite();
  return invite === null ? {} : { invite };
}

/** Opens the issuer's page. */
export function useInvitedSignIn() {
  return useMutation({
    mutationFn: async (invite: string) =>
      window.location.assign((await call("signInByGoogle", { body: { invite } })).url),
  });
}

export function useRegister() {
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      withFallbackMessage(call("register", { body: { ...body, ...inviteOf() } }), t("Registration failed")),
    onSuccess: ({ user }) => enterSession(user),
  });
}

/** The server sends the wallet's challenge in a 401 response. @throws ApiError for any other error */
async function askForChallenge(walletAddress: string): Promise<WalletChallenge> {
  try {
    await call("walletSignIn", { body: { walletAddress } });
  } catch (error) {
    if (error instanceof ApiError && error.challenge !== undefined) return error.challenge;
    throw error;
  }
  throw new Error("the server accepted a wallet address without a signature");
}

export interface WalletSigner {
  address: string;
  sign(challenge: WalletChallenge): Promise<WalletProofBody>;
}

async function signIn(connect: () => Promise<WalletSigner>): Promise<{ user: UserWire }> {
  const { address, sign } = await connect();
  const proof = await sign(await askForChallenge(address));
  return call("walletSignIn", { body: { ...proof, ...inviteOf() } });
}

export function useWalletSignIn() {
  return useMutation({ mutationFn: signIn, onSuccess: ({ user }) => enterSession(user) });
}
