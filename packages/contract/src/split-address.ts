/** Splits at the last `@`; without one all is the domain. The server uses that of mail-rfc. */
export function splitAddress(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { local: at < 0 ? "" : address.slice(0, at), domain: address.slice(at + 1) };
}
