/** Title and description of each page for search engines and link previews. */
import { product } from "@kauke/contract";
import { type ScreenName, screenTitles } from "./screens.ts";

/** The page title as the browser tab shows it, e.g. `Privacy Policy — Kauke`. */
export function pageTitle(screen: ScreenName | null): string {
  const title = screen === null ? "" : screenTitles[screen];
  return title === "" ? `${product.name} — private e-mail aliases` : `${title} — ${product.name}`;
}

const what =
  "Free, unlimited e-mail aliases that forward to your real inbox, with end-to-end encryption and zero e-mail logs.";

const descriptions: Partial<Record<ScreenName, string>> = {
  auth: `Sign in to ${product.name} with your e-mail and password, a Solana wallet or Gmail.`,
  register: `Create your ${product.name} account in 30 seconds. ${what}`,
  about: `Why ${product.name} exists: to protect your inbox, your identity and your freedom. Built in Lithuania.`,
  privacy: `What ${product.name} keeps about you, for how long, and what it never keeps: zero e-mail logs, two cookies.`,
  terms: `The terms under which ${product.name} forwards your mail, in plain words.`,
  gdpr: `Your rights under the GDPR at ${product.name}, and how to use them: see, take with you, correct or delete your data.`,
  docs: `How to use ${product.name}: aliases, answers, sending by SMTP, encryption keys and webhooks, step by step.`,
  "docs-smtp": `Send from a ${product.name} alias with Thunderbird, Apple Mail, Outlook or Gmail: server, ports, user name.`,
  "docs-clients": "Create aliases with Bitwarden, Keyguard and other apps.",
  "docs-moving": "Bring your aliases along, or take them with you later.",
  transparency: `Government requests, breaches and how long data is kept at ${product.name}, in figures.`,
};

export function pageDescription(screen: ScreenName | null): string {
  return (screen === null ? undefined : descriptions[screen]) ?? what;
}
