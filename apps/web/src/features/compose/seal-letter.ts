/** Encrypts a message in the browser before it is sent. If anything fails, nothing is sent, and the error says why. */
import { emailJobMessages } from "@kauke/contract";
import { ApiError } from "../../api/api-error.ts";
import { encryptText, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import type { ComposeForm, Sealed } from "./compose-form.ts";
import { tellsMailbox } from "./typed-leak.ts";

/** The leak guard's setting and the destinations it protects, loaded when a message is encrypted. */
export interface GuardFacts {
  isOn: boolean;
  /** Destinations of the sending alias. */
  forwardTo: string;
}

/** Thrown when a message is not sent; `field` says where to show the reason. */
export class NotSealed extends Error {
  readonly field: "body" | "recipientPublicKey" | "encryption";

  constructor(field: NotSealed["field"], message: string) {
    super(message);
    this.name = "NotSealed";
    this.field = field;
  }
}

/** The public key without the blanks and the label it was pasted with. */
export async function cleanPublicKey(text: string): Promise<string> {
  const { cleanPastedPublicKey } = await import("@kauke/age");
  return cleanPastedPublicKey(text);
}

/** @throws NotSealed; ApiError if the leak guard's setting could not be loaded */
export async function sealLetter(
  { body }: ComposeForm,
  publicKeyText: string,
  readGuard: () => Promise<GuardFacts>,
): Promise<Sealed> {
  const guard = await readGuard();
  if (guard.isOn && tellsMailbox(body, guard.forwardTo)) throw new NotSealed("body", emailJobMessages.bodyLeaks);
  try {
    const recipientPublicKey = await cleanPublicKey(publicKeyText);
    return { body: await encryptText({ text: body, publicKey: recipientPublicKey }), recipientPublicKey };
  } catch (thrown) {
    if (thrown instanceof ApiError) throw thrown;
    throw failureOf(thrown instanceof VaultError ? thrown.code : "ended");
  }
}

export function failureOf(code: VaultErrorCode): NotSealed {
  const [field, message] = reasons[code] ?? ["encryption", "The message could not be encrypted in this browser."];
  return new NotSealed(field, message);
}

const reasons: Readonly<Partial<Record<VaultErrorCode, readonly [field: NotSealed["field"], message: string]>>> = {
  bad_public_key: ["recipientPublicKey", emailJobMessages.publicKeyInvalid],
  too_large: ["body", emailJobMessages.bodyLong],
  not_text: ["body", "The message contains an incomplete character that can't be encrypted. Type it again."],
  insecure_context: ["encryption", "Browsers encrypt on secure pages only. Open this site over https."],
};
