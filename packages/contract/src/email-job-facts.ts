/** What pages need of an e-mail job before zod has loaded. */
import { limits } from "./limits.ts";

export const emailJobMessages = {
  toInvalid: "Please enter a valid email address",
  recipientsMany: `A message can have ${limits.composeRecipientsMax} recipients at most`,
  subjectRequired: "Subject is required",
  subjectLong: `Subject must be ${limits.subjectMax} characters or less`,
  bodyRequired: "Email body is required",
  bodyLong: "The message is too long: 1 MB of text is the most",
  subjectLeaks:
    "Your subject holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings",
  bodyLeaks:
    "Your message holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings",
  bodyLeaksEncoded:
    "Encoded text in your message, such as a key or a link, holds the address this alias forwards to. " +
    "Take it out, or switch the leak guard off in Settings",
  bodyUnsearched:
    "Your message holds packed data that can't be searched for the address this alias forwards to. " +
    "Take it out, or switch the leak guard off in Settings",
  senderRequired: "Please select a sender alias",
  domain_suspended:
    "This alias can't send now: DNS records of its domain are missing or wrong, see Domains in Settings",
  domain_closed: "This alias can't send: its domain is closed, since its DNS records have long been missing or wrong",
  domain_lost: "This alias can't send: its domain is not yours here any more, see Domains in Settings",
  senderUnfit: "This alias can't send: it must be active and have SMTP credentials",
  senderHeld: "This alias can't send: it is switched off at the provider.",
  publicKeyRequired: "Please provide the recipient's public key for encryption.",
  publicKeyInvalid: "This is not an AGE public key",
  useEncryptionInvalid: "useEncryption must be true or false",
  priorityRange: "Priority must be a whole number from 0 to 10",
  scheduleInvalid: "Please give the time as an ISO 8601 date and time",
  scheduleFar: `A message can wait ${limits.scheduleMaxDays} days at most`,
  tooLate: "The email may have already been sent.",
  bccEncrypted:
    "An encrypted message shows how many people can read it, so it can't have Bcc recipients. " +
    "Send them a message of their own",
  jobIdInvalid: "The id of a message must be a UUID",
  jobIdTaken: "Another message, or this one as it was before a change, was queued under this id",
} as const;

/** `pending` waits for its time or next attempt; the states after `sending` are final. */
export const emailJobStatuses = ["pending", "sending", "sent", "failed", "cancelled"] as const;
export type EmailJobStatus = (typeof emailJobStatuses)[number];

export const recipientKinds = ["to", "cc", "bcc"] as const;
export type RecipientKind = (typeof recipientKinds)[number];

export interface RecipientLists {
  to: string | readonly string[];
  cc?: readonly string[] | undefined;
  bcc?: readonly string[] | undefined;
}

/** Equal for spellings of one mailbox, such as `a@bücher.example` and `A@xn--bcher-kva.example`. */
export function sameRecipient(address: string): string {
  const lower = address.normalize("NFC").toLowerCase();
  const at = lower.lastIndexOf("@") + 1;
  const site = `http://${lower.slice(at)}`;
  return /^[ -~]*$/.test(site) || !URL.canParse(site) ? lower : lower.slice(0, at) + new URL(site).hostname;
}

/** Each address once, where it comes first in To, Cc, Bcc: the order in which the server lists recipients. */
export function uniqueRecipients({ to, cc = [], bcc = [] }: RecipientLists) {
  const all = { to: typeof to === "string" ? [to] : to, cc, bcc };
  const found = new Map<string, { kind: RecipientKind; address: string }>();
  for (const kind of recipientKinds)
    for (const address of all[kind]) {
      const same = sameRecipient(address);
      if (!found.has(same)) found.set(same, { kind, address });
    }
  return [...found.values()];
}

/** Whether a text looks like an armored age file; only the age package can tell whether it is valid. */
export const isArmored = (text: string): boolean => text.trimStart().startsWith("-----BEGIN AGE ENCRYPTED FILE-----");
