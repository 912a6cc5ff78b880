/** Passwords, the sign-in e-mail and signed-in devices. */
import type { SignInWire } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../client.ts";
import { checkSession, useEnterSession } from "./session.ts";

export const signInKey = ["sign-in"];
export const sessionsKey = ["sessions"];

export function useAskPasswordReset() {
  return useMutation({ mutationFn: (email: string) => call("askPasswordReset", { body: { email } }) });
}

/** Looking uses nothing up. @param token `null`: the address has none */
export function usePasswordReset(token: string | null) {
  return useQuery({
    queryKey: ["password-reset", token],
    queryFn: () => call("readPasswordReset", { body: { token: token ?? "" } }),
    enabled: token !== null,
    gcTime: 0,
  });
}

/** Every session of the account ends by it: whoever is signed in here is asked for anew. */
export function useResetPassword() {
  return useMutation({
    mutationFn: (body: { token: string; password: string }) => call("resetPassword", { body }),
    onSuccess: checkSession,
  });
}

export function useAskSignInLink() {
  return useMutation({ mutationFn: (email: string) => call("askSignInLink", { body: { email } }) });
}

/** Looking uses nothing up. @param token `null`: the address has none @param isUsed it is being used, or was: there is nothing to look at */
export function useSignInLink(token: string | null, isUsed: boolean) {
  return useQuery({
    queryKey: ["sign-in-link", token],
    queryFn: () => call("readSignInLink", { body: { token: token ?? "" } }),
    enabled: token !== null && !isUsed,
    gcTime: 0,
  });
}

/** @param onDone called also when the form is gone by then: with the session everything loaded is forgotten, the link too */
export function useSignInByLink(onDone: () => void) {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { token: string; password?: string }) => call("signInByLink", { body }),
    onSuccess: ({ user }) => {
      enter(user);
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
    // Also after a refusal: it may have ended by itself meanwhile.
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
