/** Encrypts a letter before it leaves the browser. Whatever fails, nothing is sent: the failure says why. */
import { emailJobMessages } from "@kauke/contract";
import { ApiError } from "../../api/api-error.ts";
import { encryptText, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import type { ComposeForm, Sealed } from "./compose-form.ts";
import { tellsMailbox } from "./typed-leak.ts";

/** What the leak guard goes by, asked when it is needed. */
export interface GuardFacts {
  isOn: boolean;
  /** Of the alias that sends. */
  forwardTo: string;
}

/** A letter that is not sent. `field`: where the reason shows. */
export class NotSealed extends Error {
  readonly field: "body" | "recipientPublicKey" | "encryption";

  constructor(field: NotSealed["field"], message: string) {
    super(message);
    this.name = "NotSealed";
    this.field = field;
  }
}

/** The key as it goes out: without the blanks and the label it was pasted with. */
export async function cleanPublicKey(text: string): Promise<string> {
  const { cleanPastedPublicKey } = await import("@kauke/age");
  return cleanPastedPublicKey(text);
}

/** @throws NotSealed; ApiError when the guard's facts could not be had */
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
  not_text: ["body", "The message holds half a character that can't be encrypted. Type it anew."],
  insecure_context: ["encryption", "Browsers encrypt on secure pages only. Open this site over https."],
};
