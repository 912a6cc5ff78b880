/** The token behind the `#` of a link we mailed; browsers send that part to nobody. @param hash e.g. `#abc…` */
export function linkTokenOf(hash: string): string | null {
  return /^#([a-z2-7]{32})$/i.exec(hash)?.[1]?.toLowerCase() ?? null;
}
