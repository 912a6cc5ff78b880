/**
 * Domains in display order: the provider's own two first, then the others alphabetically (specification section 9).
 * @param ownDomains as configured, e.g. `["kauke.test", "slapta.test", "vejas.test", "rukas.test"]`
 */
export function listDomains(ownDomains: readonly string[]): string[] {
  const [first, second, ...rest] = ownDomains;
  return [first, second, ...rest.sort()].filter((domain) => domain !== undefined);
}
