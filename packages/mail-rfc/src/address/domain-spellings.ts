import { domainToASCII, domainToUnicode } from "node:url";

const gmail = ["gmail.com", "googlemail.com"];

/** Whether both of Google's mail domains deliver to the same mailbox, and dots in its local part are ignored. */
export const isGmail = (domain: string): boolean => gmail.includes(domain);

/** The domain as given, in ASCII and in Unicode; at Gmail both of its domains. @param domain in lower case and NFKC */
export function spellingsOfDomain(domain: string): readonly string[] {
  const forms = isGmail(domain) ? gmail : [domain, domainToASCII(domain), domainToUnicode(domain)];
  return [...new Set(forms.filter((form) => form !== ""))];
}
