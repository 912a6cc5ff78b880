import { signInMessages } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { endOtherSessions, endSession, listSessions } from "../../core/login-session/end-sessions.ts";
import { openByPassword } from "../../core/login-session/open-by-password.ts";
import { tellPasswordChanged } from "../../core/user/account-mail.ts";
import { changePassword } from "../../core/user/change-password.ts";
import { askEmailConfirmation, confirmEmail } from "../../core/user/confirm-email.ts";
import { countResetWish, readPasswordReset, resetPassword, sendPasswordReset } from "../../core/user/reset-password.ts";
import type { HandlersOf } from "../handler.ts";
import type { LaterWork } from "../later-work.ts";
import { sessionToWire, signInToWire } from "./wire.ts";

const mailFailed = "account_mail_failed";

/** A call of access `user` has one. */
function tokenOf({ token }: { token: string | null }): string {
  if (token === null) throw new AppError("not_signed_in");
  return token;
}

export function passwordHandlers(
  deps: CoreDeps,
  later: LaterWork,
): HandlersOf<"askPasswordReset" | "readPasswordReset" | "resetPassword" | "changePassword"> {
  return {
    async askPasswordReset({ body, clientAddress }) {
      await countResetWish(deps, { ...body, clientAddress });
      later.runUnforeseen(mailFailed, () => sendPasswordReset(deps, body.email));
      return { message: signInMessages.resetSent };
    },
    async readPasswordReset({ body, clientAddress }) {
      const { email } = await readPasswordReset(deps, { ...body, clientAddress });
      return { email };
    },
    async resetPassword({ body, clientAddress }) {
      const addressee = await resetPassword(deps, { ...body, clientAddress });
      later.run(mailFailed, () => tellPasswordChanged(deps, addressee));
      return { message: "Your password was changed" };
    },
    async changePassword({ userId, body, cookie, device }) {
      const formerToken = tokenOf(cookie);
      const { email, emailConfirmedAt, passwordHash } = await changePassword(deps, {
        ...body,
        userId,
        token: formerToken,
      });
      cookie.write(await openByPassword(deps, { userId, passwordHash, formerToken, device }));
      if (email !== null && emailConfirmedAt !== null)
        later.run(mailFailed, () => tellPasswordChanged(deps, { userId, email }));
      return { message: "Your password was changed" };
    },
  };
}

export function signInHandlers(
  deps: CoreDeps,
): HandlersOf<
  "getSignIn" | "askEmailConfirmation" | "confirmEmail" | "listSessions" | "endSession" | "endOtherSessions"
> {
  return {
    async getSignIn({ userId }) {
      const user = await deps.users.find(userId);
      if (user === null) throw new AppError("not_signed_in");
      return signInToWire(user);
    },
    async askEmailConfirmation({ userId }) {
      await askEmailConfirmation(deps, userId);
      return { message: "The message is on its way" };
    },
    async confirmEmail({ userId, body }) {
      return signInToWire(await confirmEmail(deps, { userId, ...body }));
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
