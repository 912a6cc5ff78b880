/** The token after the `#` of a mailed link; browsers never send that part to a server. @param hash e.g. `#abc…` */
export function linkTokenOf(hash: string): string | null {
  return /^#([a-z2-7]{32})$/i.exec(hash)?.[1]?.toLowerCase() ?? null;
}
