/** Facts that the public pages state, with the times that the program uses, so that both always agree. */
export const legalFacts = {
  minimumAge: 13,
  priceDollars: 0,
  liabilityCapDollars: 0,
  gdprResponseDays: 30,
  governmentRequests: 0,
  breaches: 0,
  emailLogs: 0,
  thirdPartyScripts: 0,
  /** Cookies that the site sets: that of the session, and one that marks a browser that signed in before. */
  cookies: 2,
  setupSeconds: 30,
  launched: "January 2025",
  nextReport: "August 2026",
  country: "Lithuania",
} as const;

/** Days that mail is stored by default; an operator can set another schedule. */
export const mailDays = { undelivered: 5, confirmationLink: 30 } as const;

export const gdprArticles = {
  consent: "6(1)(a)",
  contract: "6(1)(b)",
  legitimateInterest: "6(1)(f)",
  access: "15",
  rectification: "16",
  erasure: "17",
  restriction: "18",
  portability: "20",
  objection: "21",
  processor: "28",
  complaint: "77",
} as const;
