/**
 * Sentences with which a delivery report explains a status (RFC 3463) to the sender: what went wrong and what to do,
 * revealing nothing about the destination.
 */

export interface DeliveryReportWords {
  reason: string;
  advice: string;
}

const DEFAULT_WORDS: DeliveryReportWords = {
  reason: "It was refused for good.",
  advice: "Trying again will not help. Please reach the person another way.",
};

/**
 * Sentences by status, or by a prefix of it; the first match counts. The comment above each row names the replies it
 * covers.
 */
const table: readonly [status: string, words: DeliveryReportWords][] = [
  // Statuses of an address that takes no mail: user unknown (550 5.1.1), null MX (550 5.1.10).
  ["5.1.", { reason: "The address does not take mail at present.", advice: DEFAULT_WORDS.advice }],
  // Status of a full mailbox (552 5.2.2).
  ["5.2.2", { reason: "There is no room for more mail.", advice: "Please try again in a few days." }],
  // Statuses of a message that is too big (552 5.2.3, 5.3.4), and below them the other statuses of a mailbox.
  ["5.2.3", { reason: "The message is too large.", advice: "Please send it again without large attachments." }],
  ["5.3.4", { reason: "The message is too large.", advice: "Please send it again without large attachments." }],
  ["5.2.", { reason: "The address does not take mail at present.", advice: DEFAULT_WORDS.advice }],
  // Status of a routing loop (554 5.4.6).
  ["5.4.6", { reason: "The message was caught in a mail loop.", advice: DEFAULT_WORDS.advice }],
  // Network and routing statuses, above all that of an exhausted retry schedule (5.4.7).
  ["5.4.", { reason: "It could not be delivered in the time allowed.", advice: "Please try again later." }],
  // Statuses of a message that cannot be converted to a form the destination takes (554 5.6.1).
  ["5.6.", { reason: "The form of the message was not accepted.", advice: "Please send it as plain text." }],
  // Statuses of a refusal by policy (550 5.7.1) or for lack of authentication (5.7.26).
  [
    "5.7.",
    {
      reason: "It was refused by a rule about what may be sent.",
      advice: "Your mail provider can tell whether your domain proves its mail with SPF, DKIM and DMARC.",
    },
  ],
];

/** @returns the sentences for a status @param status enhanced status of class 5 */
export function wordsForStatus(status: string): DeliveryReportWords {
  const row = table.find(([key]) => (key.endsWith(".") ? status.startsWith(key) : status === key));
  return row?.[1] ?? DEFAULT_WORDS;
}
