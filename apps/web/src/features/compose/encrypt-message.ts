/** Encrypts a message in the browser before it is sent. If anything fails, nothing is sent, and the error says why. */
import { emailJobMessages, parseForwardTo } from "@kauke/contract";
import { splitAddress } from "@kauke/contract/split-address";
import { ApiError } from "../../api/api-error.ts";
import { encryptForKey, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import type { ComposeValues, EncryptedMessage } from "./compose-form.ts";

/** The leak guard's setting and the destinations it protects, loaded when a message is encrypted. */
interface LeakGuardState {
  isOn: boolean;
  /** Destinations of the sending alias. */
  forwardTo: string;
}

/** Thrown when a message was not encrypted and so is not sent; `field` says where to show the reason. */
export class NotEncrypted extends Error {
  readonly field: "body" | "recipientPublicKey" | "encryption";

  constructor(field: NotEncrypted["field"], message: string) {
    super(message);
    this.name = "NotEncrypted";
    this.field = field;
  }
}

/** Removes whitespace and the label `# public key:` of key files from a pasted public key. */
export async function cleanPublicKey(text: string): Promise<string> {
  const { cleanPastedPublicKey } = await import("@kauke/age");
  return cleanPastedPublicKey(text);
}

/**
 * Checks the message with the leak guard, then encrypts its body.
 * @throws NotEncrypted; ApiError if the leak guard's setting could not be loaded
 */
export async function encryptMessage(
  { body }: ComposeValues,
  publicKeyText: string,
  readGuard: () => Promise<LeakGuardState>,
): Promise<EncryptedMessage> {
  const guard = await readGuard();
  if (guard.isOn && containsMailbox(body, guard.forwardTo)) throw new NotEncrypted("body", emailJobMessages.bodyLeaks);
  try {
    const recipientPublicKey = await cleanPublicKey(publicKeyText);
    return { body: await encryptForKey({ text: body, publicKey: recipientPublicKey }), recipientPublicKey };
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    throw failureOf(thrown instanceof VaultError ? thrown.code : "ended");
  }
}

export function failureOf(code: VaultErrorCode): NotEncrypted {
  const [field, message] = reasons[code] ?? ["encryption", "The message could not be encrypted in this browser."];
  return new NotEncrypted(field, message);
}

const reasons: Readonly<Partial<Record<VaultErrorCode, readonly [field: NotEncrypted["field"], message: string]>>> = {
  bad_public_key: ["recipientPublicKey", emailJobMessages.publicKeyInvalid],
  too_large: ["body", emailJobMessages.bodyLong],
  not_text: ["body", "The message contains an incomplete character that can't be encrypted. Type it again."],
  insecure_context: ["encryption", "Browsers encrypt on secure pages only. Open this site over https."],
};

/**
 * The leak guard for messages encrypted in the browser, which the server can't read: whether the text contains the
 * address of a mailbox the alias forwards to. Unlike the server's guard it does not decode links and markup. Pure.
 */

/** Invisible characters, which are removed before the search. */
const unseen = /[\p{Cf}\u034f\u115f\u1160\u3164\uffa0\u2800]/gu;
/**
 * Text before or after a match that makes it part of a longer address: a letter or digit, with or without punctuation
 * between. "joann@…" is not a leak of "ann@…".
 */
const before = /[\p{L}\p{N}][._+-]*$/u;
const after = /^[.-]*[\p{L}\p{N}]/u;
/** Characters examined on each side of an address. */
const CONTEXT_LENGTH = 64;

const plain = (text: string): string => text.normalize("NFKC").replace(unseen, "").toLowerCase();

/**
 * Whether the text contains the address of one of the alias' mailboxes.
 * @param forwardTo destinations of the alias; webhooks, and the `null` of a paused alias, are no mailboxes
 */
export function containsMailbox(body: string, forwardTo: string): boolean {
  const text = plain(body);
  const destinations = parseForwardTo(forwardTo) ?? [];
  return destinations.some(
    (destination) =>
      destination.kind === "mailbox" &&
      spellings(destination.address).some((spelling) => containsAddress(text, spelling)),
  );
}

/** Spellings of an address: with and without its tag, the domain in Unicode and in ASCII. */
function spellings(mailbox: string): string[] {
  const address = plain(mailbox);
  const { local, domain } = splitAddress(address);
  const locals = new Set([local, local.replace(/\+.*$/s, "")].filter((part) => part !== ""));
  return [...locals].flatMap((name) => [...new Set([domain, asciiDomain(domain)])].map((right) => `${name}@${right}`));
}

function asciiDomain(domain: string): string {
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain;
}

function containsAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const end = at + address.length;
    const isWhole = !before.test(text.slice(Math.max(0, at - CONTEXT_LENGTH), at));
    if (isWhole && !after.test(text.slice(end, end + CONTEXT_LENGTH))) return true;
  }
  return false;
}
