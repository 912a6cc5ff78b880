/**
 * The alias domain that pages name while the list of domains is not loaded: the list's first. The server puts it into
 * the page as `<meta name="domain" content="kauke.test" data-longest="10">`, together with the length of the longest
 * domain.
 */
import { pagePlaceholders } from "@kauke/contract";

export interface SiteDomain {
  domain: string;
  /** Characters of the longest domain, as text; the hero's font size depends on it. */
  longest: string;
}

const unknown = "kauke.test";

export function readSiteDomain(): SiteDomain {
  if (import.meta.env.SSR) return { domain: pagePlaceholders.domain, longest: pagePlaceholders.longestDomain };
  const meta = document.querySelector<HTMLMetaElement>('meta[name="domain"]');
  const domain = meta?.content || unknown;
  return { domain, longest: meta?.dataset.longest ?? String(domain.length) };
}
