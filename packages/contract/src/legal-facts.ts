/**
 * Facts that the public pages state and that are no limit of the interface (specification sections 1 and 9). What is kept for how
 * long is `retentionDays`, how a session ends `sessionTimes`: the pages read those too, so that page and program can't disagree.
 */
export const legalFacts = {
  minimumAge: 13,
  priceDollars: 0,
  liabilityCapDollars: 0,
  gdprAnswerDays: 30,
  governmentRequests: 0,
  breaches: 0,
  emailLogs: 0,
  thirdPartyScripts: 0,
  /** The session's, and that of browsers that signed in before. */
  cookies: 2,
  setupSeconds: 30,
  launched: "January 2025",
  nextReport: "August 2026",
  country: "Lithuania",
} as const;

/** How long mail and its links live, as Kauke comes; an operator can set another schedule for deliveries. */
export const mailDays = { undelivered: 5, confirmationLink: 30 } as const;

/** Where Regulation (EU) 2016/679 says so. */
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
