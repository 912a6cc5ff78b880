import { signInMessages } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { endOtherSessions, endSession, listSessions, openByPassword, readFreshFor } from "../../core/login-session.ts";
import { countLinkRequest, sendRequestedLink } from "../../core/sign-in/sign-in-link.ts";
import { askEmailConfirmation, confirmEmail } from "../../core/user/account-email.ts";
import { notifyPasswordChanged } from "../../core/user/account-mail.ts";
import { changePassword, readPasswordReset, resetPassword } from "../../core/user/password.ts";
import { rememberBrowser } from "../auth/remember-browser.ts";
import type { HandlersOf } from "../handler.ts";
import type { LaterWork } from "../request/later-work.ts";
import { tokenOf } from "./token-of.ts";
import { sessionToWire, signInToWire } from "./wire.ts";

const mailFailed = "account_mail_failed";
const passwordChanged = "Your password was changed";

export function passwordHandlers(
  deps: CoreDeps,
  later: LaterWork,
): HandlersOf<"askPasswordReset" | "readPasswordReset" | "resetPassword" | "changePassword"> {
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
      // Remembers the browser, so that its next sign-in has a limit of its own, however many others try at the same
      // time.
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
  };
}

export function signInHandlers(
  deps: CoreDeps,
): HandlersOf<
  "getSignIn" | "askEmailConfirmation" | "confirmEmail" | "listSessions" | "endSession" | "endOtherSessions"
> {
  return {
    async getSignIn({ userId, cookie }) {
      const user = await deps.users.find(userId);
      if (user === null) throw new AppError("not_signed_in");
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
  };
}
