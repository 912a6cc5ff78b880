/** What the compose form accepts (specification section 5), and the request it becomes. */
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

/** What is written for one reader's eyes: the armor in place of the message, and the key it was made for. */
export interface Sealed {
  body: string;
  recipientPublicKey: string;
}

/** @param sealed `null`: the message goes as it was typed */
export function jobRequest(form: ComposeForm, sealed: Sealed | null): Body<"createEmailJob"> {
  const { fromAlias, to, subject, body } = form;
  const letter = { to, subject, body, fromAliasId: fromAlias, priority: 0 };
  return sealed === null ? { ...letter, useEncryption: false } : { ...letter, ...sealed, useEncryption: true };
}

/** The form's field for a field of the request the server refused; `null` for one the form doesn't show. */
export function formField(requestField: string): keyof ComposeForm | null {
  if (requestField === "fromAliasId") return "fromAlias";
  return requestField === "to" || requestField === "subject" || requestField === "body" ? requestField : null;
}
