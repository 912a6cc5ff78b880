import type { CoreDeps } from "../../core/core-deps.ts";
import { answerLink, readLink, requestConfirmation } from "../../core/destination/confirmation.ts";
import { resumeMailbox } from "../../core/destination/destination.ts";
import { checkLoginSession } from "../../core/login-session.ts";
import type { HandlersOf } from "../handler.ts";

export function confirmationHandlers(
  deps: CoreDeps,
): HandlersOf<"readConfirmation" | "answerConfirmation" | "askConfirmation" | "resumeMailbox"> {
  return {
    async readConfirmation({ body }) {
      return readLink(deps, body.token);
    },
    async answerConfirmation({ body, cookie }) {
      const session = cookie.token === null ? null : await checkLoginSession(deps, cookie.token);
      return answerLink(deps, { ...body, signedInUserId: session?.userId ?? null });
    },
    async resumeMailbox({ userId, body }) {
      await resumeMailbox(deps, { userId, ...body });
      return { message: "Mailbox resumed" };
    },
    async askConfirmation({ userId, body }) {
      return { state: await requestConfirmation(deps, { userId, ...body }) };
    },
  };
}
