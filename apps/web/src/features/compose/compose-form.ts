/** The form that composes a message, as section 5 of the specification describes it. */
import { type Body, emailJobMessages, messageBodyField, recipientField, subjectField } from "@kauke/contract";
import * as z from "zod";

export const composeForm = z.object({
  fromAlias: z.string().min(1, emailJobMessages.senderRequired),
  to: recipientField,
  subject: subjectField,
  body: messageBodyField("Message body is required"),
});
export type ComposeValues = z.infer<typeof composeForm>;

export const emptyForm: ComposeValues = { fromAlias: "", to: "", subject: "", body: "" };

export interface EncryptedMessage {
  body: string;
  recipientPublicKey: string;
}

/** @param encrypted `null` to send the typed text */
export function jobRequest(form: ComposeValues, encrypted: EncryptedMessage | null): Body<"createEmailJob"> {
  const { fromAlias, to, subject, body } = form;
  const fields = { to, subject, body, fromAliasId: fromAlias, priority: 0 };
  return encrypted === null ? { ...fields, useEncryption: false } : { ...fields, ...encrypted, useEncryption: true };
}

/** The form's field for a field of the request; `null` if it has no such field. */
export function formField(requestField: string): keyof ComposeValues | null {
  if (requestField === "fromAliasId") return "fromAlias";
  return requestField === "to" || requestField === "subject" || requestField === "body" ? requestField : null;
}
