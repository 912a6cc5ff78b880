/** Host name to which mail programs submit mail: one name for all domains, covered by the certificate. */
export function smtpHost(ownDomains: readonly string[]): string {
  return `smtp.${ownDomains[0]}`;
}
