/** Splits an address at its last `@`; without one all is the domain. The server uses the function of mail-rfc. */
export function splitAtSign(address: string): { local: string; domain: string } {
  const at = address.lastIndexOf("@");
  return { local: at < 0 ? "" : address.slice(0, at), domain: address.slice(at + 1) };
}
