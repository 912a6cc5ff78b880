/** What the public pages state. Times are those that the program uses, so that they can't disagree. */
export const legalFacts = {
  minimumAge: 13,
  priceDollars: 0,
  liabilityCapDollars: 0,
  gdprAnswerDays: 30,
  governmentRequests: 0,
  breaches: 0,
  emailLogs: 0,
  thirdPartyScripts: 0,
  /** The session cookie, and one that marks a browser that signed in before. */
  cookies: 2,
  setupSeconds: 30,
  launched: "January 2025",
  nextReport: "August 2026",
  country: "Lithuania",
} as const;

/** Days by default; an operator can set another schedule. */
export const mailDays = { undelivered: 5, confirmationLink: 30 } as const;

/** Articles of Regulation (EU) 2016/679 that the pages cite. */
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
  complaint: "77",
} as const;
