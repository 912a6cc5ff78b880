import type { SignInWire } from "@kauke/contract";
import type { FastifyRequest } from "fastify";
import type { CoreDeps } from "../../core/core-deps.ts";
import { openByPassword, openIfStill, readFreshFor, requireFreshProof } from "../../core/login-session.ts";
import { beginGoogleLink, beginGoogleProof } from "../../core/sign-in/federated-settings.ts";
import { requireFlow } from "../../core/sign-in/federated-sign-in.ts";
import { askEmailChange, changeEmail, readEmailChange } from "../../core/user/account-email.ts";
import { notifySignInChanged, type SignInChange } from "../../core/user/account-mail.ts";
import { proveByPassword, proveByWallet } from "../../core/user/password.ts";
import { linkWallet, removeWay } from "../../core/user/sign-in-methods.ts";
import type { RemovableWay, User } from "../../core/user/user.ts";
import { newOffer } from "../../core/wallet/wallet-proof.ts";
import type { Config } from "../../settings/config.ts";
import type { Call, Handlers } from "../handler.ts";
import type { LaterWork } from "../request/later-work.ts";
import { originAt } from "../request/same-site.ts";
import { browserTokenOf, rememberBrowser, tokenOf } from "./routes.ts";
import { signInToWire } from "./wire.ts";

const mailFailed = "account_mail_failed";

export function notifyOwner(
  deps: CoreDeps,
  later: Pick<LaterWork, "run">,
  { user, change }: { user: User; change: SignInChange },
): void {
  const { id: userId, email, emailConfirmedAt } = user;
  if (email !== null && emailConfirmedAt !== null)
    later.run(mailFailed, () => notifySignInChanged(deps, { userId, email }, change));
}

export function googleHandlers(deps: CoreDeps) {
  return {
    async signInByGoogle({ body: { invite }, cookie, clientAddress, origin }) {
      const browserToken = browserTokenOf(deps, cookie);
      return {
        url: await requireFlow(deps, { browserToken, invite, clientAddress, redirectUri: origin + callbackPath }),
      };
    },
  } satisfies Partial<Handlers>;
}

export function proofHandlers(deps: CoreDeps) {
  const proven = async (user: User, cookie: Call<"proveByPassword">["cookie"], token: string): Promise<SignInWire> => {
    cookie.write(token);
    return signInToWire(user, await readFreshFor(deps, token));
  };
  return {
    async proveByPassword({ userId, body, cookie, device, clientAddress, browser }) {
      const user = await proveByPassword(deps, { ...body, userId, clientAddress, browser: browser.value });
      const signIn = { userId, formerToken: tokenOf(cookie), device };
      return proven(user, cookie, await openByPassword(deps, { ...signIn, passwordHash: user.passwordHash }));
    },
    async proveByWallet({ userId, body: proof, cookie, device, clientAddress }) {
      const formerToken = tokenOf(cookie);
      const user = await proveByWallet(deps, { userId, proof, browserToken: formerToken, clientAddress });
      const isStill = (account: User) => account.walletAddress === user.walletAddress;
      return proven(user, cookie, await openIfStill(deps, { userId, formerToken, device }, isStill));
    },
    async proveByGoogle({ userId, body, cookie, clientAddress, origin }) {
      const begin = { userId, token: tokenOf(cookie), clientAddress, redirectUri: origin + callbackPath };
      return { url: await beginGoogleProof(deps, { ...begin, ...body }) };
    },
    async askWalletChallenge({ body: { walletAddress, purpose }, cookie, clientAddress, origin }) {
      const browserToken = tokenOf(cookie);
      if (purpose === "link") await requireFreshProof(deps, browserToken);
      return { challenge: await newOffer(deps, { walletAddress, clientAddress, origin, browserToken }, purpose) };
    },
  } satisfies Partial<Handlers>;
}

export function waysInHandlers(deps: CoreDeps, later: LaterWork) {
  const remove = async (way: RemovableWay, { userId, cookie }: Pick<Call<"unlinkWallet">, "userId" | "cookie">) => {
    const token = tokenOf(cookie);
    const user = await removeWay(deps, { userId, token, way });
    notifyOwner(deps, later, { user, change: { kind: "way_removed", way } });
    return signInToWire(user, await readFreshFor(deps, token));
  };
  return {
    async linkWallet({ userId, body: proof, cookie, clientAddress }) {
      const token = tokenOf(cookie);
      const user = await linkWallet(deps, { userId, token, proof, clientAddress });
      notifyOwner(deps, later, { user, change: { kind: "way_linked", way: "wallet" } });
      return signInToWire(user, await readFreshFor(deps, token));
    },
    async unlinkWallet(call) {
      return remove("wallet", call);
    },
    async linkGoogle({ userId, cookie, clientAddress, origin }) {
      const begin = { userId, token: tokenOf(cookie), clientAddress, redirectUri: origin + callbackPath };
      return { url: await beginGoogleLink(deps, begin) };
    },
    async unlinkGoogle(call) {
      return remove("google", call);
    },
  } satisfies Partial<Handlers>;
}

export function emailChangeHandlers(deps: CoreDeps, later: LaterWork) {
  return {
    async askEmailChange({ userId, body, cookie, clientAddress }) {
      await askEmailChange(deps, { userId, token: tokenOf(cookie), clientAddress, ...body });
      return { message: "A message is on its way to the new e-mail" };
    },
    async readEmailChange({ userId, body }) {
      return { email: await readEmailChange(deps, { userId, ...body }) };
    },
    async changeEmail({ userId, body, cookie, browser }) {
      const sessionToken = tokenOf(cookie);
      const { user, former } = await changeEmail(deps, { userId, sessionToken, ...body });
      // The cookie of a known browser is bound to the account's e-mail, so a new e-mail needs a new entry in it.
      rememberBrowser(deps, user, browser);
      if (former !== null) later.run(mailFailed, () => notifySignInChanged(deps, former, { kind: "email_changed" }));
      return signInToWire(user, await readFreshFor(deps, sessionToken));
    },
  } satisfies Partial<Handlers>;
}

export const callbackPath = "/api/auth/google/callback";

/** Redirect URI; without `KAUKE_PUBLIC_URL` it has the request's loopback name, to which the cookie is bound. */
export function redirectUri(
  request: FastifyRequest,
  { publicUrl, publicUrlGiven, http }: Pick<Config, "publicUrl" | "publicUrlGiven" | "http">,
): string {
  if (publicUrlGiven) return `${publicUrl.origin}${callbackPath}`;
  const port = request.socket.localPort ?? http.port;
  const host = request.hostname === "127.0.0.1" ? "127.0.0.1" : "localhost";
  return `${originAt(publicUrl, host, port)}${callbackPath}`;
}
