/**
 * The domain that pages name before, or without, a list of domains: the list's first, which the server puts into the page as
 * `<meta name="domain" content="kauke.test" data-longest="10">` together with the length of its longest.
 */
import { pagePlaceholders } from "@kauke/contract";

export interface SiteDomain {
  domain: string;
  /** Characters of the longest domain, as text: the hero's letters are sized by it. */
  longest: string;
}

const unknown = "kauke.test";

export function readSiteDomain(): SiteDomain {
  if (import.meta.env.SSR) return { domain: pagePlaceholders.domain, longest: pagePlaceholders.longestDomain };
  const meta = document.querySelector<HTMLMetaElement>('meta[name="domain"]');
  const domain = meta?.content || unknown;
  return { domain, longest: meta?.dataset.longest ?? String(domain.length) };
}
