/** Our messages to an account's own e-mail: reset link, confirmation link, word of a changed password. All words are ours. Pure. */
import { product } from "@kauke/contract";
import { type OwnMessageHead, ownMessage } from "../own-mail/own-message.ts";

export type AccountMessage =
  | { kind: "reset"; origin: string; token: string }
  | { kind: "email"; origin: string; token: string }
  | { kind: "password_changed"; origin: string };

interface Words {
  subject: string;
  opening: string[];
  link: { label: string; url: string };
  closing: string[];
}

const byProgram = "This message was sent by a program; nobody reads answers to it.";

/** @returns see `own-message.ts` */
export function accountMessage(message: AccountMessage, head: OwnMessageHead): Buffer {
  const { subject, opening, link, closing } = wordsFor(message, head.from.slice(head.from.indexOf("@") + 1));
  const plain = [...opening.flatMap((it) => [it, ""]), `${link.label}:`, link.url, "", ...closing];
  const paragraphs = [...opening, `<a href="${link.url}">${link.label}</a>`, ...closing];
  return ownMessage(head, { subject, plain, paragraphs });
}

// The token stands behind the #: browsers keep that to themselves, so no log on the way and no Referer ever holds it.
function wordsFor(message: AccountMessage, domain: string): Words {
  const place = `${product.name} (${domain})`;
  if (message.kind === "reset")
    return {
      subject: `Set a new password for ${product.name}`,
      opening: [`Somebody, we hope you, asked to set a new password for your account at ${place}.`],
      link: { label: "Set a new password", url: `${message.origin}/reset#${message.token}` },
      closing: [
        "The link works once, for 30 minutes. Setting a password ends every session of the account.",
        "If it wasn't you, there is nothing to do: without the link nothing changes.",
        byProgram,
      ],
    };
  if (message.kind === "email")
    return {
      subject: "Confirm your e-mail",
      opening: [`Somebody signs in at ${place} with this e-mail and wants to confirm that it is theirs.`],
      link: { label: "Confirm this e-mail", url: `${message.origin}/confirm-email#${message.token}` },
      closing: [
        "The link works once, for 24 hours, for whoever is signed in to that account.",
        "If that isn't you, there is nothing to do: without the link nothing changes.",
        byProgram,
      ],
    };
  return {
    subject: "Your password was changed",
    opening: [
      `The password of your account at ${place} was changed, and every other session was ended.`,
      "If that was you, all is well. If not, set a new password now:",
    ],
    link: { label: "Set a new password", url: `${message.origin}/forgot` },
    closing: [byProgram],
  };
}
