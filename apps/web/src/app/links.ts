/**
 * Addresses outside the product: footer, feedback and the guide for mail programs. The server may put its settings (`KAUKE_LINK_*`) into the page as
 * `<meta name="links" content='{"docs":"https://…"}'>`; what it doesn't give keeps its default. Those of the guides are pages of this
 * server.
 */
import { docsPath, linkPlaceholder, smtpGuidePath } from "@kauke/contract";

const defaults = {
  docs: docsPath,
  social: "https://social.kauke.test/",
  video: "https://video.kauke.test/",
  reviews: "https://reviews.kauke.test/",
  feedback: "https://feedback.kauke.test/",
  smtpGuide: smtpGuidePath,
  age: "https://age-encryption.org/",
};

type Links = typeof defaults;

/** Only http and https addresses of known names are taken over. */
export function parseLinks(text: string): Links {
  const links = { ...defaults };
  try {
    const given = JSON.parse(text) as Record<string, unknown>;
    for (const name of Object.keys(defaults) as (keyof Links)[]) {
      const url = given[name];
      if (typeof url === "string" && /^https?:\/\//i.test(url)) links[name] = url;
    }
  } catch {
    // No settings in the page: the defaults hold.
  }
  return links;
}

/** In pages drawn at build time the server puts the addresses in as it sends them; `age` is no setting. */
function placeholders(): Links {
  const names = Object.keys(defaults).filter((name) => name !== "age");
  return { ...defaults, ...Object.fromEntries(names.map((name) => [name, linkPlaceholder(name)])) };
}

export function readLinks(): Links {
  if (import.meta.env.SSR) return placeholders();
  return parseLinks(document.querySelector<HTMLMetaElement>('meta[name="links"]')?.content ?? "");
}
