/**
 * Our one message to a mailbox that mail is to be forwarded to. All its words are ours: no alias, no account and no tag of
 * the address stands in it, so nobody can have us carry theirs. Pure.
 */
import { product } from "@kauke/contract";
import { type OwnMessageHead, ownMessage } from "../own-mail/own-message.ts";
import { linkDays } from "./confirmation-rules.ts";

export interface ConfirmationMessage extends OwnMessageHead {
  /** e.g. `https://kauke.test` */
  origin: string;
  token: string;
}

/** @returns see `own-message.ts` */
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
      "If you know nothing of it, say so, and that account forwards nothing to you any more.",
      `Nothing happens before you press the button on the page. Both links work for ${linkDays} days.`,
      "This message was sent by a program; nobody reads answers to it.",
    ],
  };
}

function plainText({ opening, mine, notMine, closing }: Words): string[] {
  const [refuse = "", ...rest] = closing;
  return [
    ...opening.flatMap((it) => [it, ""]),
    ...["This is mine:", mine, ""],
    ...[refuse, "", "This is not mine:", notMine, ""],
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
