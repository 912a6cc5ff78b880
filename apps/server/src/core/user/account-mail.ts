/**
 * Messages from us to an account's own e-mail, unless its reader has blocked mail from this server: links and notices.
 */
import { product } from "@kauke/contract";
import type { CoreDeps } from "../core-deps.ts";
import {
  hashLinkToken,
  newLinkToken,
  type OwnMessageHead,
  ownMessage,
  type QueueDeps,
  queueOwnMessage,
} from "../own-mail.ts";
import { type AccountLink, type AccountLinkKind, accountLinkMs } from "./account-link.ts";
import type { RemovableWay } from "./user.ts";

type AccountMessage =
  | { kind: "reset"; origin: string; token: string }
  | { kind: "sign-in"; origin: string; token: string }
  | { kind: "email"; origin: string; token: string }
  | { kind: "new-email"; origin: string; token: string }
  | { kind: "password_changed" | "email_changed"; origin: string }
  | { kind: "way_linked" | "way_removed"; way: RemovableWay; origin: string };

interface Words {
  subject: string;
  opening: string[];
  /** Absent for a message without a link. */
  link?: { label: string; url: string };
  closing: string[];
}

const byProgram = "This message was sent by a program; replies to it are not read.";

export function accountMessage(message: AccountMessage, head: OwnMessageHead): Buffer {
  const { subject, opening, link, closing } = wordsFor(message, head.from.slice(head.from.indexOf("@") + 1));
  const plainLink = link === undefined ? [] : [`${link.label}:`, link.url, ""];
  const htmlLink = link === undefined ? [] : [`<a href="${link.url}">${link.label}</a>`];
  const plain = [...opening.flatMap((paragraph) => [paragraph, ""]), ...plainLink, ...closing];
  const paragraphs = [...opening, ...htmlLink, ...closing];
  return ownMessage(head, { subject, plain, paragraphs });
}

// The token is in the URL's fragment, which browsers do not send: it appears in no log and in no Referer field.
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
  if (message.kind === "sign-in")
    return {
      subject: `Sign in to ${product.name}`,
      opening: [`Somebody, we hope you, asked for a link to sign in to your account at ${place}.`],
      link: { label: "Sign in", url: `${message.origin}/sign-in-link#${message.token}` },
      closing: [
        "The link works once, for 30 minutes. In any browser but the one that requested it, you also need your password.",
        "If it wasn't you, there is nothing to do: without the link nothing happens. Please do not share it.",
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
  if (message.kind === "new-email")
    return {
      subject: "Confirm your new e-mail",
      opening: [`Somebody, we hope you, wants to sign in to an account at ${place} with this e-mail from now on.`],
      link: { label: "Use this e-mail", url: `${message.origin}/new-email#${message.token}` },
      closing: [
        "The link works once, for 24 hours, for whoever is signed in to that account.",
        "If that isn't you, there is nothing to do: without the link nothing changes. An account of your own stays as it is.",
        byProgram,
      ],
    };
  return wordsForChange(message, place, domain);
}

type ChangeMessage = Extract<
  AccountMessage,
  { kind: "password_changed" | "email_changed" | "way_linked" | "way_removed" }
>;

/** How the account signs in has been changed. */
function wordsForChange(message: ChangeMessage, place: string, domain: string): Words {
  if (message.kind === "email_changed")
    return {
      subject: "Your sign-in e-mail was changed",
      opening: [
        `Your account at ${place} has a new sign-in e-mail. This address can no longer sign in, and every other session was ended.`,
        "If that was you, all is well.",
        `If not, somebody else can sign in to your account now. Please write to postmaster@${domain} from this mailbox at once.`,
      ],
      closing: ["This message was sent by a program; replies to it are not read, but mail to postmaster is."],
    };
  if (message.kind === "way_linked" || message.kind === "way_removed") {
    const [what, isLinked] = [wayWords[message.way], message.kind === "way_linked"];
    return {
      subject: isLinked ? `A ${what} was linked to your account` : `The ${what} was removed from your account`,
      opening: [
        isLinked
          ? `A ${what} was linked to your account at ${place}: it can sign in to the account from now on.`
          : `The ${what} was removed from your account at ${place}: it can no longer sign in, and every other session was ended.`,
        "If that was you, all is well. If not, set a new password now, which ends every session, and look at Sign-in in Settings:",
      ],
      link: { label: "Set a new password", url: `${message.origin}/forgot` },
      closing: [byProgram],
    };
  }
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

const wayWords: Record<RemovableWay, string> = { google: "Google account", wallet: "wallet" };

export type AccountMailDeps = QueueDeps & Pick<CoreDeps, "accountLinks" | "destinations" | "ownMail">;

export interface Addressee {
  userId: string;
  email: string;
}

/** @returns false when nothing was sent: the mailbox is blocked, or the account no longer exists */
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

/** To how the account signs in. */
export type SignInChange =
  | { kind: "password_changed" }
  | { kind: "email_changed" }
  | { kind: "way_linked" | "way_removed"; way: RemovableWay };

/** At an address known to be the account's own, or that was until this change. */
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
