import type { SmtpCredentialWire } from "@kauke/contract";
import type { SmtpCredential } from "../../core/smtp-credential/smtp-credential.ts";

export function smtpCredentialToWire({ id, username, active, createdAt }: SmtpCredential): SmtpCredentialWire {
  return { id, username, active, createdAt: createdAt.toISOString() };
}
