/** Encrypts a message before it is sent; if anything fails, nothing is sent. */
import { emailJobMessages, parseForwardTo } from "@kauke/contract";
import { splitAtSign } from "@kauke/contract/split-address";
import { ApiError } from "../../api/api-error.ts";
import { encryptForKey, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import type { ComposeValues, EncryptedMessage } from "./compose-form.ts";

interface LeakGuardState {
  isOn: boolean;
  forwardTo: string;
}

/** `field` says at which field the form shows the reason. */
export class NotEncrypted extends Error {
  readonly field: "body" | "recipientPublicKey" | "encryption";

  constructor(field: NotEncrypted["field"], message: string) {
    super(message);
    this.name = "NotEncrypted";
    this.field = field;
  }
}

/** Drops the label `# public key:` of key files. */
export async function cleanPublicKey(text: string): Promise<string> {
  const { cleanPastedPublicKey } = await import("@kauke/age");
  return cleanPastedPublicKey(text);
}

/** Runs the leak guard, then encrypts. @throws NotEncrypted; ApiError if the guard's setting can't be read */
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
    throw encryptionRefusal(thrown instanceof VaultError ? thrown.code : "ended");
  }
}

export function encryptionRefusal(code: VaultErrorCode): NotEncrypted {
  const [field, message] = reasons[code] ?? ["encryption", "The message could not be encrypted in this browser."];
  return new NotEncrypted(field, message);
}

const reasons: Readonly<Partial<Record<VaultErrorCode, readonly [field: NotEncrypted["field"], message: string]>>> = {
  bad_public_key: ["recipientPublicKey", emailJobMessages.publicKeyInvalid],
  too_large: ["body", emailJobMessages.bodyLong],
  not_text: ["body", "The message contains an incomplete character that can't be encrypted. Type it again."],
  insecure_context: ["encryption", "Browsers encrypt on secure pages only. Open this site over https."],
};

/** Invisible characters, removed before the leak guard's search. */
const unseen = /[\p{Cf}\u034f\u115f\u1160\u3164\uffa0\u2800]/gu;
/** What makes a match part of a longer address: "joann@…" is no leak of "ann@…". */
const before = /[\p{L}\p{N}][._+-]*$/u;
const after = /^[.-]*[\p{L}\p{N}]/u;
/** Characters examined on each side of a match. */
const CONTEXT_LENGTH = 64;

const plain = (text: string): string => text.normalize("NFKC").replace(unseen, "").toLowerCase();

/** Unlike the server's guard it doesn't decode links and markup. @param forwardTo may include webhooks, or `null` */
export function containsMailbox(body: string, forwardTo: string): boolean {
  const text = plain(body);
  const destinations = parseForwardTo(forwardTo) ?? [];
  return destinations.some(
    (destination) =>
      destination.kind === "mailbox" &&
      spellings(destination.address).some((spelling) => containsAddress(text, spelling)),
  );
}

/** Spellings of a mailbox: with and without the tag; the domain in Unicode and in ASCII. */
function spellings(mailbox: string): string[] {
  const address = plain(mailbox);
  const { local, domain } = splitAtSign(address);
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
