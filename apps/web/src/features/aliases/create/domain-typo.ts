/** Suggests gmail.com for the mistyped gmial.com. */
import { splitAtSign } from "@kauke/contract/split-address";

/** Mail providers' domains, which are never questioned. */
const providers = [
  ..."gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com rocketmail.com".split(" "),
  ..."icloud.com me.com mac.com aol.com proton.me protonmail.com tuta.com tutanota.com fastmail.com fastmail.fm".split(
    " ",
  ),
  ..."gmx.com gmx.de gmx.net gmx.at gmx.ch web.de t-online.de freenet.de posteo.de mailbox.org mail.de".split(" "),
  ..."hotmail.co.uk yahoo.co.uk btinternet.com orange.fr laposte.net wanadoo.fr libero.it virgilio.it".split(" "),
  ..."zoho.com hey.com mail.com email.com hushmail.com runbox.com startmail.com disroot.org riseup.net".split(" "),
  ..."seznam.cz wp.pl onet.pl interia.pl inbox.lt one.lt inbox.lv mail.ee comcast.net verizon.net sbcglobal.net".split(
    " ",
  ),
] as const;

const known: ReadonlySet<string> = new Set(providers);

/** Minimum length of a name to correct: shorter ones may be other companies, e.g. `live` and `love`. */
const MIN_NAME = 5;

/** Mistyped endings `com` and `net`; any other two-letter ending is a country. */
const mistypedEndings: ReadonlySet<string> = new Set(["co", "cm", "om", "cn", "em", "nt", "ne"]);

/** Corrects a mistyped provider; `null` if the typed domain may be meant. @example suggestedAddress("jonas@gmial.com") // "jonas@gmail.com" */
export function suggestedAddress(address: string): string | null {
  const { local, domain } = splitAtSign(address);
  const typed = domain.toLowerCase();
  if (local === "" || known.has(typed)) return null;
  const meant = providers.find((provider) => isTypoOf(typed, provider));
  return meant === undefined ? null : `${local}@${meant}`;
}

function isTypoOf(typed: string, provider: string): boolean {
  if (!isOneEditApart(typed, provider)) return false;
  const [name, ending] = atFirstDot(typed);
  const [meantName] = atFirstDot(provider);
  if (name === meantName) return ending.length !== 2 || mistypedEndings.has(ending);
  return meantName.length >= MIN_NAME;
}

function atFirstDot(domain: string): [name: string, ending: string] {
  const at = domain.indexOf(".");
  return at < 0 ? [domain, ""] : [domain.slice(0, at), domain.slice(at + 1)];
}

/** Whether one inserted, omitted, replaced or swapped character makes the texts equal. */
export function isOneEditApart(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  if (a.length > b.length) return isOneEditApart(b, a);
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (a.length < b.length) return a.slice(at) === b.slice(at + 1);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at];
  return a.slice(at + 1) === b.slice(at + 1) || (isSwapped && a.slice(at + 2) === b.slice(at + 2));
}
