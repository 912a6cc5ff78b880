/** Signing in, registering, deleting the account. */
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../api-error.ts";
import { call } from "../client.ts";
import { useEnterSession } from "./session.ts";

/** Words of their own for an answer that has none (specification section 8, "Auth"), such as a proxy's page. */
async function orSay<T>(answer: Promise<T>, words: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const isWordless = error instanceof ApiError && error.message.startsWith(`${error.status}: `);
    throw isWordless ? new ApiError({ status: error.status, message: words }, { cause: error }) : error;
  }
}

export function useSignIn() {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => orSay(call("login", { body }), "Login failed"),
    onSuccess: ({ user }) => enter(user),
  });
}

export function useRegister() {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) => orSay(call("register", { body }), "Registration failed"),
    onSuccess: ({ user }) => enter(user),
  });
}

export function useDeleteAccount() {
  return useMutation({ mutationFn: () => call("deleteAccount") });
}
