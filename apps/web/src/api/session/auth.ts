/** Mutations for signing in, registering and deleting the account. */
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../api-error.ts";
import { call } from "../client.ts";
import { useEnterSession } from "./session.ts";

/**
 * Sets the message of an error response that has none of our server, such as a proxy's page (specification section 8,
 * "Auth").
 */
async function withFallbackMessage<T>(answer: Promise<T>, fallback: string): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const hasNoMessage = error instanceof ApiError && error.message.startsWith(`${error.status}: `);
    throw hasNoMessage ? new ApiError({ status: error.status, message: fallback }, { cause: error }) : error;
  }
}

export function useSignIn() {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      withFallbackMessage(call("login", { body }), "Login failed"),
    onSuccess: ({ user }) => enter(user),
  });
}

export function useRegister() {
  const enter = useEnterSession();
  return useMutation({
    mutationFn: (body: { email: string; password: string }) =>
      withFallbackMessage(call("register", { body }), "Registration failed"),
    onSuccess: ({ user }) => enter(user),
  });
}

export function useDeleteAccount() {
  return useMutation({ mutationFn: () => call("deleteAccount") });
}
