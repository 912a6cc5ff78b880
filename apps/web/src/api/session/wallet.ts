/** Signing in with a wallet: requests a challenge, has the wallet sign it, and sends the proof. */
import type { UserWire, WalletBody, WalletChallenge } from "@kauke/contract";
import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../api-error.ts";
import { call } from "../client.ts";
import { useEnterSession } from "./session.ts";

/** Requests a challenge; the server sends it in a 401 response. @throws ApiError for any other error response */
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
  sign(challenge: WalletChallenge): Promise<Required<WalletBody>>;
}

async function signIn(connect: () => Promise<WalletSigner>): Promise<{ user: UserWire }> {
  const { address, sign } = await connect();
  return call("walletSignIn", { body: await sign(await askForChallenge(address)) });
}

export function useWalletSignIn() {
  const enter = useEnterSession();
  return useMutation({ mutationFn: signIn, onSuccess: ({ user }) => enter(user) });
}
