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

export function jobRequest({ fromAlias, to, subject, body }: ComposeForm): Body<"createEmailJob"> {
  return { to, subject, body, fromAliasId: fromAlias, useEncryption: false, priority: 0 };
}

/** The form's field for a field of the request the server refused; `null` for one the form doesn't show. */
export function formField(requestField: string): keyof ComposeForm | null {
  if (requestField === "fromAliasId") return "fromAlias";
  return requestField === "to" || requestField === "subject" || requestField === "body" ? requestField : null;
}
