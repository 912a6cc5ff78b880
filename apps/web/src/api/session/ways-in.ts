import type { SignInWire, WalletBody, WalletProofBody, WalletPurpose, WaysInAction } from "@kauke/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../api-error.ts";
import { call } from "../client.ts";
import { markSignedIn } from "./lost-session.ts";
import { checkSession } from "./session.ts";
import { sessionsKey, signInKey, type WalletSigner } from "./sign-in.ts";

export const isProofNeeded = (error: unknown): boolean => error instanceof ApiError && error.code === "proof_needed";

/** Stores changed sign-in methods, so that Settings and the top bar show them at once. */
function useStoreWays() {
  const client = useQueryClient();
  return async (ways: SignInWire) => {
    client.setQueryData<SignInWire>(signInKey, ways);
    // Invalidation doesn't restart a first load of the sessions, which may fail with the replaced cookie.
    void client
      .cancelQueries({ queryKey: sessionsKey })
      .then(() => client.invalidateQueries({ queryKey: sessionsKey }));
    await checkSession();
  };
}

/** A fresh sign-in replaces the cookie, so requests in flight may be refused though the user is signed in. */
function useFreshSignIn<Given>(prove: (given: Given) => Promise<SignInWire>) {
  const onSuccess = useStoreWays();
  return useMutation({
    mutationFn: async (given: Given) => {
      markSignedIn();
      const ways = await prove(given);
      markSignedIn();
      return ways;
    },
    onSuccess,
  });
}

export function useProveByPassword() {
  return useFreshSignIn((password: string) => call("proveByPassword", { body: { password } }));
}

const isComplete = (body: WalletBody): body is WalletProofBody =>
  body.nonce !== undefined && body.signedMessage !== undefined && body.signature !== undefined;

async function walletProof(connect: () => Promise<WalletSigner>, purpose: WalletPurpose): Promise<WalletProofBody> {
  const { address: walletAddress, sign } = await connect();
  const { challenge } = await call("askWalletChallenge", { body: { walletAddress, purpose } });
  const proof = await sign(challenge);
  if (!isComplete(proof)) throw new Error("the wallet's proof is incomplete");
  return proof;
}

export function useProveByWallet() {
  return useFreshSignIn(async (connect: () => Promise<WalletSigner>) =>
    call("proveByWallet", { body: await walletProof(connect, "prove") }),
  );
}

/** Leaves the page for the issuer, which redirects back to Settings. */
export function useProveByGoogle() {
  return useMutation({
    mutationFn: async (action: WaysInAction) => {
      window.location.assign((await call("proveByGoogle", { body: { action } })).url);
    },
  });
}

export function useLinkWallet() {
  const onSuccess = useStoreWays();
  return useMutation({
    mutationFn: async (connect: () => Promise<WalletSigner>) =>
      call("linkWallet", { body: await walletProof(connect, "link") }),
    onSuccess,
  });
}

export function useLinkGoogle() {
  return useMutation({
    mutationFn: async () => window.location.assign((await call("linkGoogle")).url),
  });
}

export function useRemoveWay(way: "wallet" | "google") {
  const onSuccess = useStoreWays();
  return useMutation({ mutationFn: () => call(way === "wallet" ? "unlinkWallet" : "unlinkGoogle"), onSuccess });
}

export function useAskEmailChange() {
  return useMutation({ mutationFn: (email: string) => call("askEmailChange", { body: { email } }) });
}

/** Checks a link to a new e-mail without using it up. @param isUsed being used or used before: nothing is fetched */
export function useEmailChange(token: string, isUsed: boolean) {
  return useQuery({
    queryKey: ["email-change", token],
    queryFn: () => call("readEmailChange", { body: { token } }),
    enabled: !isUsed,
    gcTime: 0,
  });
}

export function useChangeEmail() {
  const onSuccess = useStoreWays();
  return useMutation({ mutationFn: (token: string) => call("changeEmail", { body: { token } }), onSuccess });
}
