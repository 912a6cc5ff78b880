import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { closeLoginSession } from "../../core/login-session/close-login-session.ts";
import { openLoginSession } from "../../core/login-session/open-login-session.ts";
import { login } from "../../core/user/login.ts";
import { register } from "../../core/user/register.ts";
import type { User } from "../../core/user/user.ts";
import type { CallCookie, HandlersOf } from "../handler.ts";
import { userToWire } from "./wire.ts";

export function authHandlers(deps: CoreDeps): HandlersOf<"getSession" | "register" | "login" | "logout"> {
  const signIn = async (user: User, cookie: CallCookie) => {
    cookie.write(await openLoginSession(deps, user.id, cookie.token));
    return { user: userToWire(user) };
  };
  return {
    async getSession({ userId }) {
      const user = await deps.users.find(userId);
      if (user === null) throw new AppError("not_signed_in");
      return { user: userToWire(user) };
    },
    async register({ body, clientAddress, cookie }) {
      return signIn(await register(deps, { ...body, clientAddress }), cookie);
    },
    async login({ body, clientAddress, cookie }) {
      return signIn(await login(deps, { ...body, clientAddress }), cookie);
    },
    async logout({ cookie }) {
      if (cookie.token !== null) await closeLoginSession(deps, cookie.token);
      cookie.clear();
      return { message: "Successfully logged out" };
    },
  };
}
