/** Encrypts a message in the browser before it is sent. If anything fails, nothing is sent, and the error says why. */
import { emailJobMessages } from "@kauke/contract";
import { ApiError } from "../../api/api-error.ts";
import { encryptText, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import type { ComposeForm, EncryptedMessage } from "./compose-form.ts";
import { containsMailbox } from "./typed-leak.ts";

/** The leak guard's setting and the destinations it protects, loaded when a message is encrypted. */
export interface LeakGuardState {
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
  { body }: ComposeForm,
  publicKeyText: string,
  readGuard: () => Promise<LeakGuardState>,
): Promise<EncryptedMessage> {
  const guard = await readGuard();
  if (guard.isOn && containsMailbox(body, guard.forwardTo)) throw new NotEncrypted("body", emailJobMessages.bodyLeaks);
  try {
    const recipientPublicKey = await cleanPublicKey(publicKeyText);
    return { body: await encryptText({ text: body, publicKey: recipientPublicKey }), recipientPublicKey };
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
