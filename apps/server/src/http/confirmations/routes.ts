import type { CoreDeps } from "../../core/core-deps.ts";
import { answerLink, readLink } from "../../core/destination/answer-link.ts";
import { requestConfirmation } from "../../core/destination/request-confirmation.ts";
import type { HandlersOf } from "../handler.ts";

export function confirmationHandlers(
  deps: CoreDeps,
): HandlersOf<"readConfirmation" | "answerConfirmation" | "askConfirmation"> {
  return {
    async readConfirmation({ body }) {
      return { state: await readLink(deps, body.token) };
    },
    async answerConfirmation({ body }) {
      return { state: await answerLink(deps, body) };
    },
    async askConfirmation({ userId, body }) {
      return { state: await requestConfirmation(deps, { userId, ...body }) };
    },
  };
}
