/** The schema of the compose form (specification section 5), and the request made from it. */
import { type Body, emailJobMessages, messageBodyField, recipientField, subjectField } from "@kauke/contract";
import * as z from "zod";

export const composeForm = z.object({
  fromAlias: z.string().min(1, emailJobMessages.senderRequired),
  to: recipientField,
  subject: subjectField,
  body: messageBodyField("Message body is required"),
});
export type ComposeForm = z.infer<typeof composeForm>;

export const emptyForm: ComposeForm = { fromAlias: "", to: "", subject: "", body: "" };

/** An encrypted message: its armored text, and the public key it was encrypted for. */
export interface Sealed {
  body: string;
  recipientPublicKey: string;
}

/** @param sealed the encrypted message; `null` to send the typed text */
export function jobRequest(form: ComposeForm, sealed: Sealed | null): Body<"createEmailJob"> {
  const { fromAlias, to, subject, body } = form;
  const letter = { to, subject, body, fromAliasId: fromAlias, priority: 0 };
  return sealed === null ? { ...letter, useEncryption: false } : { ...letter, ...sealed, useEncryption: true };
}

/** The form field for a field of the request that the server refused; `null` for one the form doesn't have. */
export function formField(requestField: string): keyof ComposeForm | null {
  if (requestField === "fromAliasId") return "fromAlias";
  return requestField === "to" || requestField === "subject" || requestField === "body" ? requestField : null;
}
