import { forwardInvitations } from "./forward-invitations.ts";
import { type AnswerWording, sendInvitations } from "./owner-invitations.ts";

/** @param wording recognizes what calendar programs write in an answer to an invitation */
export function invitations(wording: AnswerWording) {
  return {
    forward: forwardInvitations,
    send: (message: Parameters<typeof sendInvitations>[0], owner: Parameters<typeof sendInvitations>[1]) =>
      sendInvitations(message, owner, wording),
  };
}
