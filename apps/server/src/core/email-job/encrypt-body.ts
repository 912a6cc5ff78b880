import { emailJobMessages } from "@kauke/contract";
import { ageResult } from "../age-worker.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";

/**
 * The body to send: encrypted as an armored age file, or as typed. Throws rather than return plain text if encryption
 * fails.
 * @param recipientPublicKey `null`: not encrypted
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
