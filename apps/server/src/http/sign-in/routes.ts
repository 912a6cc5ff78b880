import { signInMessages, type WalletBody } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import {
  closeLoginSession,
  endOtherSessions,
  endSession,
  hashSessionToken,
  listSessions,
  openByPassword,
  openIfStill,
  readFreshFor,
} from "../../core/login-session.ts";
import { withAccount } from "../../core/sign-in/known-browser.ts";
import { login } from "../../core/sign-in/login.ts";
import {
  browserName,
  countLinkRequest,
  readSignInLink,
  sendRequestedLink,
  signInByLink,
} from "../../core/sign-in/sign-in-link.ts";
import { askEmailConfirmation, confirmEmail } from "../../core/user/account-email.ts";
import { notifyPasswordChanged } from "../../core/user/account-mail.ts";
import { changePassword, readPasswordReset, resetPassword } from "../../core/user/password.ts";
import { findAccount, register, type User } from "../../core/user/user.ts";
import { offerChallenge, signInWithWallet, type WalletProof } from "../../core/wallet/wallet-proof.ts";
import { randomToken } from "../../runtime/ports.ts";
import type { Call, CallBrowser, CallCookie, Handlers } from "../handler.ts";
import type { LaterWork } from "../request/later-work.ts";
import { sessionToWire, signInToWire, userToWire } from "./wire.ts";

export function authHandlers(deps: CoreDeps) {
  const signIn = async (user: User, { cookie, device }: Pick<Call<"login">, "cookie" | "device">) => {
    const { id: userId, passwordHash } = user;
    cookie.write(await openByPassword(deps, { userId, passwordHash, formerToken: cookie.token, device }));
    return { user: userToWire(user) };
  };
  return {
    async getSession({ userId }) {
      const user = await findAccount(deps, userId);
      return { user: userToWire(user) };
    },
    async register({ body, clientAddress, ...call }) {
      const user = await register(deps, { ...body, clientAddress });
      const response = await signIn(user, call);
      rememberBrowser(deps, user, call.browser);
      return response;
    },
    async login({ body, clientAddress, ...call }) {
      const { user, isKnownBrowser } = await login(deps, { ...body, clientAddress, browser: call.browser.value });
      const response = await signIn(user, call);
      if (!isKnownBrowser) rememberBrowser(deps, user, call.browser);
      return response;
    },
    async logout({ cookie }) {
      if (cookie.token !== null) await closeLoginSession(deps, cookie.token);
      cookie.clear();
      return { message: "Successfully logged out" };
    },
  } satisfies Partial<Handlers>;
}

const mailFailed = "account_mail_failed";
const passwordChanged = "Your password was changed";

export function passwordHandlers(deps: CoreDeps, later: LaterWork) {
  return {
    async askPasswordReset({ body, clientAddress }) {
      await countLinkRequest(deps, "reset", { ...body, clientAddress });
      later.runAtRandomTime(mailFailed, () => sendRequestedLink(deps, "reset", body));
      return { message: signInMessages.resetSent };
    },
    async readPasswordReset({ body, clientAddress }) {
      const { email } = await readPasswordReset(deps, { ...body, clientAddress });
      return { email };
    },
    async resetPassword({ body, clientAddress, browser }) {
      const { user, addressee } = await resetPassword(deps, { ...body, clientAddress });
      // A known browser's next sign-in has a limit of its own, however many others try at the same time.
      rememberBrowser(deps, user, browser);
      later.run(mailFailed, () => notifyPasswordChanged(deps, addressee));
      return { message: passwordChanged };
    },
    async changePassword({ userId, body, cookie, device, clientAddress, browser }) {
      const formerToken = tokenOf(cookie);
      const user = await changePassword(deps, {
        ...body,
        userId,
        clientAddress,
        token: formerToken,
        browser: browser.value,
      });
      const { email, emailConfirmedAt, passwordHash } = user;
      cookie.write(await openByPassword(deps, { userId, passwordHash, formerToken, device }));
      rememberBrowser(deps, user, browser);
      if (email !== null && emailConfirmedAt !== null)
        later.run(mailFailed, () => notifyPasswordChanged(deps, { userId, email }));
      const keys = await deps.apiKeys.listForUser(userId);
      return { message: keys.length === 0 ? passwordChanged : `${passwordChanged}. Your API keys still work.` };
    },
  } satisfies Partial<Handlers>;
}

export function signInHandlers(deps: CoreDeps) {
  return {
    async getSignIn({ userId, cookie }) {
      const user = await findAccount(deps, userId);
      return signInToWire(user, await readFreshFor(deps, tokenOf(cookie)));
    },
    async askEmailConfirmation({ userId }) {
      await askEmailConfirmation(deps, userId);
      return { message: "The message is on its way" };
    },
    async confirmEmail({ userId, body, cookie }) {
      const user = await confirmEmail(deps, { userId, ...body });
      return signInToWire(user, await readFreshFor(deps, tokenOf(cookie)));
    },
    async listSessions({ userId, cookie }) {
      return { sessions: (await listSessions(deps, { userId, token: tokenOf(cookie) })).map(sessionToWire) };
    },
    async endSession({ userId, cookie, params }) {
      const isOwn = await endSession(deps, { userId, token: tokenOf(cookie), id: params.sessionId });
      if (isOwn) cookie.clear();
      return { message: "Session ended" };
    },
    async endOtherSessions({ userId, cookie }) {
      const ended = await endOtherSessions(deps, { userId, token: tokenOf(cookie) });
      return { message: "Sessions ended", ended };
    },
  } satisfies Partial<Handlers>;
}

export function signInLinkHandlers(deps: CoreDeps, later: LaterWork) {
  return {
    async askSignInLink({ body, clientAddress, cookie }) {
      await countLinkRequest(deps, "sign-in", { ...body, clientAddress });
      const askedBy = browserName(browserTokenOf(deps, cookie));
      later.runAtRandomTime("account_mail_failed", () => sendRequestedLink(deps, "sign-in", { ...body, askedBy }));
      return { message: signInMessages.resetSent };
    },
    async readSignInLink({ body, clientAddress, cookie }) {
      return readSignInLink(deps, { ...body, clientAddress, browserToken: cookie.token });
    },
    async signInByLink({ body, clientAddress, cookie, device, browser }) {
      const user = await signInByLink(deps, { ...body, clientAddress, browserToken: cookie.token });
      const { id: userId, passwordHash } = user;
      cookie.write(await openByPassword(deps, { userId, passwordHash, formerToken: cookie.token, device }));
      rememberBrowser(deps, user, browser);
      return { user: userToWire(user) };
    },
  } satisfies Partial<Handlers>;
}

export function walletHandlers(deps: CoreDeps) {
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
      const user = await signInWithWallet(deps, {
        proof,
        clientAddress,
        browserToken: cookie.token,
        invite: body.invite,
      });
      const signIn = { userId: user.id, formerToken: cookie.token, device };
      cookie.write(await openIfStill(deps, signIn, (account) => account.walletAddress === proof.walletAddress));
      return { user: userToWire(user) };
    },
  } satisfies Partial<Handlers>;
}

/** @returns `null` for an address without a proof @throws AppError `wallet_unproven` for an incomplete proof */
function proofOf({ walletAddress, nonce, signedMessage, signature }: WalletBody): WalletProof | null {
  if (nonce === undefined && signedMessage === undefined && signature === undefined) return null;
  if (nonce === undefined || signedMessage === undefined || signature === undefined)
    throw new AppError("wallet_unproven");
  return { walletAddress, nonce, signedMessage, signature };
}

/** Token of the session cookie, or a new one that recognises a browser before it signs in, which replaces it. */
export function browserTokenOf(deps: Pick<CoreDeps, "random">, cookie: CallCookie): string {
  if (cookie.token !== null && hashSessionToken(cookie.token) !== null) return cookie.token;
  const token = randomToken(deps.random);
  cookie.write(token);
  return token;
}

export function rememberBrowser(deps: Pick<CoreDeps, "browserMac" | "random">, user: User, browser: CallBrowser): void {
  const { email, passwordHash } = user;
  if (email !== null && passwordHash !== null) browser.write(withAccount(deps, browser.value, { ...user, email }));
}

/** Token of the session cookie. @throws AppError `not_signed_in` */
export function tokenOf({ token }: { token: string | null }): string {
  if (token === null) throw new AppError("not_signed_in");
  return token;
}
