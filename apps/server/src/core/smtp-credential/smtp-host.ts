/** Where a mail program connects to send: one name for all domains, which the certificate covers. */
export function smtpHost(ownDomains: readonly string[]): string {
  return `smtp.${ownDomains[0]}`;
}
