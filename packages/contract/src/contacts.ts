/** People that an account wrote to, with the age key of each if it is known. */
import * as z from "zod";
import { emailJobMessages } from "./email-job-facts.ts";
import { recipientField } from "./email-jobs.ts";
import { limits } from "./limits.ts";

export const contactMessages = {
  off: "People are not remembered: the choice in Settings is off",
} as const;

export const contactWire = z.object({
  id: z.uuid(),
  address: z.string(),
  publicKey: z.string().nullable(),
  lastUsedAt: z.iso.datetime(),
});
export type ContactWire = z.infer<typeof contactWire>;

export const contactBody = z.object({
  address: recipientField,
  publicKey: z
    .string(emailJobMessages.publicKeyInvalid)
    .trim()
    .max(limits.publicKeyMax, emailJobMessages.publicKeyInvalid)
    .regex(/^age1[0-9a-z]+$/, emailJobMessages.publicKeyInvalid)
    .nullable(),
});

const message = z.object({ message: z.string() });

export const contactEndpoints = {
  listContacts: {
    summary: `People you wrote to, the latest first; at most ${limits.contactsMax}`,
    status: 200,
    response: z.object({ contacts: z.array(contactWire) }),
  },
  putContact: {
    summary: "Remember a person's address and age key, or change the key",
    body: contactBody,
    status: 200,
    errors: [409, 429],
    response: contactWire,
  },
  deleteContact: {
    summary: "Forget a person",
    params: z.object({ contactId: z.string() }),
    status: 200,
    response: message,
  },
  deleteContacts: { summary: "Forget all people you wrote to", status: 200, response: message },
} as const;
