import { signInMessages } from "@kauke/contract";
import type { CoreDeps } from "../../core/core-deps.ts";
import { openByPassword } from "../../core/login-session.ts";
import {
  browserName,
  countLinkRequest,
  readSignInLink,
  sendRequestedLink,
  signInByLink,
} from "../../core/sign-in/sign-in-link.ts";
import { browserTokenOf } from "../auth/browser-token.ts";
import { rememberBrowser } from "../auth/remember-browser.ts";
import { userToWire } from "../auth/wire.ts";
import type { HandlersOf } from "../handler.ts";
import type { LaterWork } from "../request/later-work.ts";

export function signInLinkHandlers(
  deps: CoreDeps,
  later: LaterWork,
): HandlersOf<"askSignInLink" | "readSignInLink" | "signInByLink"> {
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
  };
}
