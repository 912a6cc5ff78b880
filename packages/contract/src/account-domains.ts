/** Own domains of an account: what its owner publishes in DNS, and what DNS answers. */
import * as z from "zod";
import { accountDomainStates } from "./account-domain-states.ts";
import { appearFields, changeAccountDomainBody } from "./appear.ts";
import { limits } from "./limits.ts";

export const accountDomainMessages = {
  off: "This server has no own domains of accounts",
  invalid: "Please enter a domain name, such as example.com",
  suffix: "This is not a domain that one person can own",
  ofServer: "This domain belongs to the server itself",
  exists: "You have added this domain already",
  tooMany: "You have as many own domains as an account may have",
  inUse: "Aliases on this domain are still there. Confirm its name to end them too.",
  ending: "You have removed this domain, and its last messages are still being delivered. Please try again later.",
  taken: "Another account of this server has proven this domain",
} as const;

/** In the order in which the page shows them; the first two prove the domain. */
export const domainRecordNames = [
  "ownership",
  "mx",
  "spf",
  "dkim",
  "dkim_next",
  "dmarc",
  "mta_sts_host",
  "mta_sts",
  "tls_rpt",
] as const;
export type DomainRecordName = (typeof domainRecordNames)[number];

/**
 * `unread`: not looked up yet, or DNS did not answer; `conflict`: other records of the same kind stand beside ours, or
 * take what it should have.
 */
export const domainRecordStates = ["unread", "right", "missing", "wrong", "conflict"] as const;

/** `none`: its host does not lead here; `waiting`: its certificate is ordered; `delayed`: the last order failed. */
export const domainPolicyStates = ["none", "waiting", "delayed", "served"] as const;
export type DomainPolicyState = (typeof domainPolicyStates)[number];

export const domainRecordWire = z.object({
  name: z.enum(domainRecordNames),
  /** Whether mail is accepted only with it. */
  isRequired: z.boolean(),
  type: z.enum(["TXT", "MX", "CNAME"]),
  /** Absolute, in lower case and A-labels, without the final dot. */
  host: z.string(),
  /** As a DNS form wants it: a text without quotes, or the host to which an MX or CNAME record leads. */
  value: z.string(),
  /** Of MX records; `null` otherwise. */
  priority: z.number().int().nullable(),
  state: z.enum(domainRecordStates),
  /** What DNS returned instead. */
  found: z.array(z.string().max(limits.domainAnswerMax)).max(limits.domainAnswersShown),
});
export type DomainRecordWire = z.infer<typeof domainRecordWire>;

export const accountDomainWire = z.object({
  id: z.uuid(),
  /** A-labels in lower case. */
  domain: z.string(),
  /** The same for people, e.g. `ąžuolas.lt`. */
  shownDomain: z.string(),
  state: z.enum(accountDomainStates),
  createdAt: z.iso.datetime(),
  provenAt: z.iso.datetime().nullable(),
  checkedAt: z.iso.datetime().nullable(),
  /** Since when a required record is missing or wrong; `null` while the domain is new or proven. */
  failingSince: z.iso.datetime().nullable(),
  /** When `failing`, `suspended` or `closed` ends unless the records are found right; `null` otherwise. */
  stateUntil: z.iso.datetime().nullable(),
  aliasCount: z.number().int(),
  /** Shown to correspondents of its aliases that have none of their own; `null`: none. */
  displayName: z.string().nullable(),
  ...appearFields,
  /** Of the host at which senders read that mail must be encrypted (MTA-STS). */
  policy: z.enum(domainPolicyStates),
  records: z.array(domainRecordWire),
});
export type AccountDomainWire = z.infer<typeof accountDomainWire>;

export const addAccountDomainBody = z.object({
  domain: z
    .string(accountDomainMessages.invalid)
    .trim()
    .min(1, accountDomainMessages.invalid)
    .max(255, accountDomainMessages.invalid),
});

const params = z.object({ domainId: z.string() });

export const accountDomainEndpoints = {
  listAccountDomains: {
    summary: "Your own domains, with the records that each needs and what DNS last answered",
    status: 200,
    /** `max`: domains that an account may have; 0 when the operator has switched them off. */
    response: z.object({ domains: z.array(accountDomainWire), max: z.number().int() }),
  },
  addAccountDomain: {
    summary: "Add an own domain; mail is accepted once its ownership and MX records are found",
    body: addAccountDomainBody,
    status: 201,
    errors: [400, 409, 429],
    response: accountDomainWire,
  },
  checkAccountDomain: {
    summary: "Ask DNS for the records of an own domain now",
    params,
    status: 200,
    errors: [404, 409, 429],
    response: accountDomainWire,
  },
  changeAccountDomain: {
    summary: "Change an own domain: its display name, and which aliases appear when the first mail to them arrives",
    params,
    body: changeAccountDomainBody,
    status: 200,
    errors: [404, 429],
    response: accountDomainWire,
  },
  deleteAccountDomain: {
    summary: "Remove an own domain; if it has aliases, they end with it, and `confirm` has to be its name",
    params,
    query: z.object({ confirm: z.string().max(255).optional() }),
    status: 200,
    errors: [404, 409],
    response: z.object({ message: z.string() }),
  },
} as const;
