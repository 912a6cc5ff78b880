/** Signing in, registering, deleting the account. */
import { useMutation } from "@tanstack/react-query";
import { call } from "./client.ts";
import { useEnterSession } from "./session.ts";

export function useSignIn() {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => call("login", { body }),
    onSuccess: ({ user }) => enter(user),
  });
}

export function useRegister() {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => call("register", { body }),
    onSuccess: ({ user }) => enter(user),
  });
}

export function useDeleteAccount() {
  return useMutation({ mutationFn: () => call("deleteAccount") });
}
