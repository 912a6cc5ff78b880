/**
 * The message that asks a mailbox to confirm that mail may be forwarded to it. It contains only our own text, without
 * alias, account name or plus tag, so nobody can use it to send their text to strangers. Pure.
 */
import { product } from "@kauke/contract";
import { type OwnMessageHead, ownMessage } from "../own-mail/own-message.ts";
import { LINK_DAYS } from "./confirmation-rules.ts";

export interface ConfirmationMessage extends OwnMessageHead {
  /** Base URL of the confirmation links, e.g. `https://kauke.test`. */
  origin: string;
  token: string;
}

/** Writes a confirmation message with header and body, in the form that `own-message.ts` describes. */
export function confirmationMessage(message: ConfirmationMessage): Buffer {
  const { from, origin, token } = message;
  const words = wordsFor(from.slice(from.indexOf("@") + 1), `${origin}/confirm/${token}`);
  const subject = "Is this mailbox yours?";
  return ownMessage(message, { subject, plain: plainText(words), paragraphs: paragraphs(words) });
}

interface Words {
  opening: string[];
  mine: string;
  notMine: string;
  closing: string[];
}

function wordsFor(domain: string, mine: string): Words {
  return {
    opening: [
      `Somebody with an account at ${product.name} (${domain}) has mail forwarded to this mailbox.`,
      "If that is you, please confirm it. Until then only a few messages a day are forwarded.",
    ],
    mine,
    notMine: `${mine}/not-mine`,
    closing: [
      "If you know nothing of it, say so, and that account can forward nothing more to you.",
      `Nothing happens before you press the button on the page. Both links work for ${LINK_DAYS} days.`,
      "This message was sent by a program; replies to it are not read.",
    ],
  };
}

function plainText({ opening, mine, notMine, closing }: Words): string[] {
  const [refuse = "", ...rest] = closing;
  return [
    ...opening.flatMap((paragraph) => [paragraph, ""]),
    "This is mine:",
    mine,
    "",
    refuse,
    "",
    "This is not mine:",
    notMine,
    "",
    ...rest,
  ];
}

function paragraphs({ opening, mine, notMine, closing }: Words): string[] {
  const [refuse = "", ...rest] = closing;
  return [
    ...opening,
    `<a href="${mine}">This is mine</a>`,
    refuse,
    `<a href="${notMine}">This is not mine</a>`,
    ...rest,
  ];
}
