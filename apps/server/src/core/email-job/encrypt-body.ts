import { emailJobMessages } from "@kauke/contract";
import { ageResult } from "../age-worker/age-result.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/**
 * The body as it is sent: an armored age file and nothing around it, or what was typed. Fails closed: no encryption, no message.
 * @param recipientPublicKey `null`: not to be encrypted
 * @throws AppError `invalid`, `busy`, `unavailable`
 */
export async function encryptBody(
  { ageWorker }: Pick<CoreDeps, "ageWorker">,
  { userId, body, recipientPublicKey }: { userId: string; body: string; recipientPublicKey: string | null },
): Promise<string> {
  if (recipientPublicKey === null) return body;
  const outcome = await ageWorker.run({ name: "encrypt", userId }, { publicKey: recipientPublicKey, text: body });
  if (!outcome.done && outcome.failure === "public_key_invalid")
    throw fieldError("recipientPublicKey", emailJobMessages.publicKeyInvalid);
  if (!outcome.done && outcome.failure === "text_too_long") throw fieldError("body", emailJobMessages.bodyLong);
  return ageResult<"encrypt">(outcome).encryptedText;
}
