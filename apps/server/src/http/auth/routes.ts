import { AppError } from "../../core/app-error.ts";
import type { CoreDeps } from "../../core/core-deps.ts";
import { closeLoginSession, openByPassword } from "../../core/login-session.ts";
import { login } from "../../core/sign-in/login.ts";
import { register, type User } from "../../core/user/user.ts";
import type { Call, HandlersOf } from "../handler.ts";
import { rememberBrowser } from "./remember-browser.ts";
import { userToWire } from "./wire.ts";

export function authHandlers(deps: CoreDeps): HandlersOf<"getSession" | "register" | "login" | "logout"> {
  const signIn = async (user: User, { cookie, device }: Pick<Call<"login">, "cookie" | "device">) => {
    const { id: userId, passwordHash } = user;
    cookie.write(await openByPassword(deps, { userId, passwordHash, formerToken: cookie.token, device }));
    return { user: userToWire(user) };
  };
  return {
    async getSession({ userId }) {
      const user = await deps.users.find(userId);
      if (user === null) throw new AppError("not_signed_in");
      return { user: userToWire(user) };
    },
    async register({ body, clientAddress, ...call }) {
      const user = await register(deps, { ...body, clientAddress });
      const answer = await signIn(user, call);
      rememberBrowser(deps, user, call.browser);
      return answer;
    },
    async login({ body, clientAddress, ...call }) {
      const { user, isKnownBrowser } = await login(deps, { ...body, clientAddress, browser: call.browser.value });
      const answer = await signIn(user, call);
      if (!isKnownBrowser) rememberBrowser(deps, user, call.browser);
      return answer;
    },
    async logout({ cookie }) {
      if (cookie.token !== null) await closeLoginSession(deps, cookie.token);
      cookie.clear();
      return { message: "Successfully logged out" };
    },
  };
}
