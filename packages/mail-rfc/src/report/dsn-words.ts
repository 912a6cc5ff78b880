/**
 * Sentences of a delivery report for a status (RFC 3463): enough to act on, revealing nothing about the destination.
 */

export interface DeliveryReportWords {
  reason: string;
  advice: string;
}

const DEFAULT_WORDS: DeliveryReportWords = {
  reason: "It was refused for good.",
  advice: "Trying again will not help. Please reach the person another way.",
};

/** Sentences by status, or by a prefix of it; the first match counts. */
const table: readonly [status: string, words: DeliveryReportWords][] = [
  // 550 5.1.1 user unknown, 550 5.1.10 null MX
  ["5.1.", { reason: "The address does not take mail at present.", advice: DEFAULT_WORDS.advice }],
  // 552 5.2.2 mailbox full
  ["5.2.2", { reason: "There is no room for more mail.", advice: "Please try again in a few days." }],
  // 552 5.2.3 and 5.3.4 message too big
  ["5.2.3", { reason: "The message is too large.", advice: "Please send it again without large attachments." }],
  ["5.3.4", { reason: "The message is too large.", advice: "Please send it again without large attachments." }],
  ["5.2.", { reason: "The address does not take mail at present.", advice: DEFAULT_WORDS.advice }],
  // 554 5.4.6 routing loop
  ["5.4.6", { reason: "The message was caught in a mail loop.", advice: DEFAULT_WORDS.advice }],
  // 5.4.7 retry schedule exhausted
  ["5.4.", { reason: "It could not be delivered in the time allowed.", advice: "Please try again later." }],
  // 554 5.6.1 conversion not possible
  ["5.6.", { reason: "The form of the message was not accepted.", advice: "Please send it as plain text." }],
  // 550 5.7.1 policy, 5.7.26 authentication
  [
    "5.7.",
    {
      reason: "It was refused by a rule about what may be sent.",
      advice: "Your mail provider can tell whether your domain proves its mail with SPF, DKIM and DMARC.",
    },
  ],
];

/** @param status enhanced status of class 5 */
export function wordsForStatus(status: string): DeliveryReportWords {
  const row = table.find(([key]) => (key.endsWith(".") ? status.startsWith(key) : status === key));
  return row?.[1] ?? DEFAULT_WORDS;
}
