/** Encrypts a letter before it is sent; if anything fails, nothing is sent. */
import { emailJobMessages } from "@kauke/contract";
import { ApiError } from "../../api/api-error.ts";
import { t } from "../../texts/texts.ts";
import { encryptForKeys, isValidPublicKey, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import type { KeyTarget } from "./keys.ts";
import { findLeaks } from "./leak-places.ts";
import type { EncryptedText, Letter } from "./letter.ts";

export interface LeakGuardState {
  isOn: boolean;
  forwardTo: string;
}

/** `field` says at which field the form shows the reason; `address`: whose key is wrong. */
export class NotEncrypted extends Error {
  readonly field: "body" | "attachments" | "key" | "encryption";
  readonly address: string;

  constructor(field: NotEncrypted["field"], message: string, address = "") {
    super(message);
    this.name = "NotEncrypted";
    this.field = field;
    this.address = address;
  }
}

/** Drops the label `# public key:` of key files. */
export async function cleanPublicKey(text: string): Promise<string> {
  const { cleanPastedPublicKey } = await import("@kauke/age");
  return cleanPastedPublicKey(text);
}

/** Runs the leak guard, then encrypts. @throws NotEncrypted; ApiError if the guard's setting can't be read */
export async function encryptLetter(
  { body }: Pick<Letter, "body">,
  targets: readonly KeyTarget[],
  readGuard: () => Promise<LeakGuardState>,
): Promise<EncryptedText> {
  const guard = await readGuard();
  if (guard.isOn && findLeaks(body, guard.forwardTo).length > 0)
    throw new NotEncrypted("body", emailJobMessages.bodyLeaks);
  try {
    const publicKeys = await Promise.all(targets.map(checkedKey));
    return { body: await encryptForKeys({ text: body, publicKeys }), publicKeys };
  } catch (thrown) {
    if (thrown instanceof ApiError || thrown instanceof NotEncrypted) throw thrown;
    throw encryptionRefusal(thrown instanceof VaultError ? thrown.code : "ended");
  }
}

/** With several recipients the error has to name whose key it is. */
async function checkedKey({ address, publicKey }: KeyTarget): Promise<string> {
  const key = await cleanPublicKey(publicKey);
  if (!(await isValidPublicKey(key))) throw new NotEncrypted("key", emailJobMessages.publicKeyInvalid, address);
  return key;
}

export function encryptionRefusal(code: VaultErrorCode): NotEncrypted {
  const [field, message] = reasons[code] ?? ["encryption", t("The message could not be encrypted in this browser.")];
  return new NotEncrypted(field, message);
}

const reasons: Readonly<Partial<Record<VaultErrorCode, readonly [field: NotEncrypted["field"], message: string]>>> = {
  bad_public_key: ["key", emailJobMessages.publicKeyInvalid],
  too_large: ["body", emailJobMessages.bodyLong],
  not_text: ["body", t("The message contains an incomplete character that can't be encrypted. Type it again.")],
  insecure_context: ["encryption", t("Browsers encrypt on secure pages only. Open this site over https.")],
};
