import type { WalletBody } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { openLoginSession } from "../../core/login-session/open-login-session.ts";
import { hashSessionToken, newSessionToken } from "../../core/login-session/session-token.ts";
import { offerChallenge } from "../../core/wallet/offer-challenge.ts";
import { signInWithWallet, type WalletProof } from "../../core/wallet/sign-in-with-wallet.ts";
import { userToWire } from "../auth/wire.ts";
import type { CallCookie, HandlersOf } from "../handler.ts";

export function walletHandlers(deps: CoreDeps): HandlersOf<"walletSignIn"> {
  return {
    async walletSignIn({ body, clientAddress, cookie, device, origin }) {
      const proof = proofOf(body);
      if (proof === null) {
        const { walletAddress } = body;
        return offerChallenge(deps, { walletAddress, clientAddress, origin, browserToken: ownToken(deps, cookie) });
      }
      const user = await signInWithWallet(deps, { proof, clientAddress, browserToken: cookie.token });
      cookie.write(await openLoginSession(deps, { userId: user.id, formerToken: cookie.token, device }));
      return { user: userToWire(user) };
    },
  };
}

/** @returns `null` for an address alone. @throws AppError `wallet_unproven` for half a proof */
function proofOf({ walletAddress, nonce, signedMessage, signature }: WalletBody): WalletProof | null {
  if (nonce === undefined && signedMessage === undefined && signature === undefined) return null;
  if (nonce === undefined || signedMessage === undefined || signature === undefined)
    throw new AppError("wallet_unproven");
  return { walletAddress, nonce, signedMessage, signature };
}

/** The cookie of a login session serves before there is one: a token that belongs to nobody, and is replaced at sign-in. */
function ownToken(deps: CoreDeps, cookie: CallCookie): string {
  if (cookie.token !== null && hashSessionToken(cookie.token) !== null) return cookie.token;
  const token = newSessionToken(deps.random);
  cookie.write(token);
  return token;
}
