/** Links and notices to an account's own e-mail, unless its reader has blocked mail from this server. */
import { product } from "@kauke/contract";
import type { CoreDeps } from "../core-deps.ts";
import {
  hashLinkToken,
  newLinkToken,
  type OwnMessageHead,
  type OwnMessageText,
  ownMessage,
  type QueueDeps,
  queueOwnMessage,
} from "../own-mail.ts";
import { type AccountLink, type AccountLinkKind, accountLinkMs } from "./account-link.ts";
import type { RemovableWay } from "./user.ts";

export type SignInChange =
  | { kind: "password_changed" | "email_changed" }
  | { kind: "way_linked" | "way_removed"; way: RemovableWay };

type AccountMessage = { origin: string } & ({ kind: AccountLinkKind; token: string } | SignInChange);

const byProgram = "This message was sent by a program; replies to it are not read.";
const nothingToDo = "If that isn't you, there is nothing to do: without the link nothing changes.";

export function accountMessage(message: AccountMessage, head: OwnMessageHead): Buffer {
  const domain = head.from.slice(head.from.indexOf("@") + 1);
  const place = `${product.name} (${domain})`;
  if (!("token" in message)) return ownMessage(head, textOfChange(message, place, domain));
  const { subject, opening, label, path, closing } = linkTexts[message.kind];
  // Browsers do not send the fragment, so the token appears in no log and no Referer field.
  const link = { label, url: `${message.origin}/${path}#${message.token}` };
  return ownMessage(head, { subject, blocks: [opening(place), link, [...closing, byProgram]] });
}

interface LinkText {
  subject: string;
  opening: (place: string) => string;
  label: string;
  path: string;
  closing: readonly string[];
}

const linkTexts: Readonly<Record<AccountLinkKind, LinkText>> = {
  reset: {
    subject: `Set a new password for ${product.name}`,
    opening: (place) => `Somebody, we hope you, asked to set a new password for your account at ${place}.`,
    label: "Set a new password",
    path: "reset",
    closing: [
      "The link works once, for 30 minutes. Setting a password ends every session of the account.",
      "If it wasn't you, there is nothing to do: without the link nothing changes.",
    ],
  },
  "sign-in": {
    subject: `Sign in to ${product.name}`,
    opening: (place) => `Somebody, we hope you, asked for a link to sign in to your account at ${place}.`,
    label: "Sign in",
    path: "sign-in-link",
    closing: [
      "The link works once, for 30 minutes. In any browser but the one that requested it, you also need your password.",
      "If it wasn't you, there is nothing to do: without the link nothing happens. Please do not share it.",
    ],
  },
  email: {
    subject: "Confirm your e-mail",
    opening: (place) => `Somebody signs in at ${place} with this e-mail and wants to confirm that it is theirs.`,
    label: "Confirm this e-mail",
    path: "confirm-email",
    closing: ["The link works once, for 24 hours, for whoever is signed in to that account.", nothingToDo],
  },
  "new-email": {
    subject: "Confirm your new e-mail",
    opening: (place) =>
      `Somebody, we hope you, wants to sign in to an account at ${place} with this e-mail from now on.`,
    label: "Use this e-mail",
    path: "new-email",
    closing: [
      "The link works once, for 24 hours, for whoever is signed in to that account.",
      `${nothingToDo} An account of your own stays as it is.`,
    ],
  },
};

function textOfChange(message: SignInChange & { origin: string }, place: string, domain: string): OwnMessageText {
  const setPassword = { label: "Set a new password", url: `${message.origin}/forgot` };
  if (message.kind === "email_changed")
    return {
      subject: "Your sign-in e-mail was changed",
      blocks: [
        `Your account at ${place} has a new sign-in e-mail. This address can no longer sign in, and every other session was ended.`,
        "If that was you, all is well.",
        `If not, somebody else can sign in to your account now. Please write to postmaster@${domain} from this mailbox at once.`,
        ["This message was sent by a program; replies to it are not read, but mail to postmaster is."],
      ],
    };
  if (!("way" in message))
    return {
      subject: "Your password was changed",
      blocks: [
        `The password of your account at ${place} was changed, and every other session was ended.`,
        "If that was you, all is well. If not, set a new password now:",
        setPassword,
        [byProgram],
      ],
    };
  const [what, isLinked] = [wayWords[message.way], message.kind === "way_linked"];
  return {
    subject: isLinked ? `A ${what} was linked to your account` : `The ${what} was removed from your account`,
    blocks: [
      isLinked
        ? `A ${what} was linked to your account at ${place}: it can sign in to the account from now on.`
        : `The ${what} was removed from your account at ${place}: it can no longer sign in, and every other session was ended.`,
      "If that was you, all is well. If not, set a new password now, which ends every session, and look at Sign-in in Settings:",
      setPassword,
      [byProgram],
    ],
  };
}

const wayWords: Record<RemovableWay, string> = { google: "Google account", wallet: "wallet" };

export type AccountMailDeps = QueueDeps & Pick<CoreDeps, "accountLinks" | "destinations" | "ownMail">;

export interface Addressee {
  userId: string;
  email: string;
}

/** @returns false when nothing was sent: the mailbox is blocked, or the account is gone */
export async function sendAccountLink(
  deps: AccountMailDeps,
  kind: AccountLinkKind,
  { userId, email, ...about }: Addressee & Pick<AccountLink, "askedBy" | "formerEmail">,
): Promise<boolean> {
  if (await deps.destinations.isAnyBlocked([email])) return false;
  const token = newLinkToken(deps.random);
  const tokenHash = hashLinkToken(token);
  const expiresAt = new Date(deps.clock.now().getTime() + accountLinkMs[kind]);
  if (!(await deps.accountLinks.issue({ kind, tokenHash, userId, email, ...about, expiresAt }))) return false;
  try {
    await queue(deps, { userId, email }, { kind, token, origin: deps.ownMail.origin });
  } catch (thrown) {
    await deps.accountLinks.takeBack(tokenHash);
    throw thrown;
  }
  return true;
}

export async function notifySignInChanged(
  deps: AccountMailDeps,
  addressee: Addressee,
  change: SignInChange,
): Promise<void> {
  if (await deps.destinations.isAnyBlocked([addressee.email])) return;
  await queue(deps, addressee, { ...change, origin: deps.ownMail.origin });
}

export const notifyPasswordChanged = (deps: AccountMailDeps, addressee: Addressee): Promise<void> =>
  notifySignInChanged(deps, addressee, { kind: "password_changed" });

function queue(deps: AccountMailDeps, { userId, email }: Addressee, message: AccountMessage): Promise<void> {
  return queueOwnMessage(deps, deps.ownMail, {
    userId,
    address: email,
    purpose: "account",
    write: (head) => accountMessage(message, head),
  });
}
