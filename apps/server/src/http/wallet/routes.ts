import type { WalletBody } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { openIfStill } from "../../core/login-session.ts";
import { offerChallenge, signInWithWallet, type WalletProof } from "../../core/wallet/wallet-proof.ts";
import { browserTokenOf } from "../auth/browser-token.ts";
import { userToWire } from "../auth/wire.ts";
import type { HandlersOf } from "../handler.ts";

export function walletHandlers(deps: CoreDeps): HandlersOf<"walletSignIn"> {
  return {
    async walletSignIn({ body, clientAddress, cookie, device, origin }) {
      const proof = proofOf(body);
      if (proof === null) {
        const { walletAddress } = body;
        return offerChallenge(deps, {
          walletAddress,
          clientAddress,
          origin,
          browserToken: browserTokenOf(deps, cookie),
        });
      }
      const user = await signInWithWallet(deps, { proof, clientAddress, browserToken: cookie.token });
      const signIn = { userId: user.id, formerToken: cookie.token, device };
      cookie.write(await openIfStill(deps, signIn, (account) => account.walletAddress === proof.walletAddress));
      return { user: userToWire(user) };
    },
  };
}

/**
 * @returns the proof that a wallet owns its address; `null` for an address without a proof
 * @throws AppError `wallet_unproven` for an incomplete proof
 */
function proofOf({ walletAddress, nonce, signedMessage, signature }: WalletBody): WalletProof | null {
  if (nonce === undefined && signedMessage === undefined && signature === undefined) return null;
  if (nonce === undefined || signedMessage === undefined || signature === undefined)
    throw new AppError("wallet_unproven");
  return { walletAddress, nonce, signedMessage, signature };
}
