import { encryptionMessages } from "@kauke/contract";
import { AppError, fieldError } from "../app-error.ts";
import type { AgeFailure, AgeJobName, AgeJobs, AgeOutcome } from "./age-worker.ts";

const errors: Record<AgeFailure, () => AppError> = {
  master_password_wrong: () => new AppError("master_password_wrong"),
  needs_recreation: () => new AppError("key_not_protected", { message: encryptionMessages.needsRecreation }),
  key_not_protected: () => new AppError("key_not_protected"),
  wrapped_key_invalid: () => fieldError("encryptedPrivateKey", encryptionMessages.wrappedKeyInvalid),
  public_key_invalid: () => fieldError("publicKey", encryptionMessages.publicKeyInvalid),
  private_key_invalid: () => new AppError("private_key_invalid"),
  no_matching_key: () => new AppError("no_matching_key"),
  age_damaged: () => new AppError("age_damaged"),
  not_text: () => new AppError("not_text"),
  text_too_long: () => new AppError("too_large", { message: encryptionMessages.textLong }),
};

/** Returns the result of a successful age job. @throws AppError with our own message when the job failed */
export function ageResult<N extends AgeJobName>(outcome: AgeOutcome<N>): AgeJobs[N]["result"] {
  if (outcome.done) return outcome.result;
  throw errors[outcome.failure]();
}
