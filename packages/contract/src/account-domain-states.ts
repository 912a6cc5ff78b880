/** In a file of its own, because the list of aliases needs it without the schemas. */

/**
 * `new`: no mail is accepted until ownership and MX are proven; `proven`: mail is accepted; `failing`: mail goes on, but
 * a required record is missing or wrong; `suspended`: mail waits at its senders; `closed`: mail is refused, and no other
 * account may prove the domain yet.
 */
export const accountDomainStates = ["new", "proven", "failing", "suspended", "closed"] as const;

/** Whether mail is accepted for a domain, sent from it, and aliases are made on it. */
export const isDomainOpen = ({ state }: { state: (typeof accountDomainStates)[number] }): boolean =>
  state === "proven" || state === "failing";
