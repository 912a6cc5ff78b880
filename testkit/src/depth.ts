/**
 * The tests that `npm test` leaves out so that it stays something one waits for: long attacks, kills, drills of the
 * operator, foreign programs, cost laws, PostgreSQL beside the embedded database, and journeys beside the main ones.
 * `npm run test:all`, which CI runs, has them all; a file that is named runs in any case.
 */
export const isQuickRun = process.env.KAUKE_TESTS === "quick";

const server = "apps/server/test";

/** Globs of test files that only `npm run test:all` runs. */
export const deepTests: readonly string[] = [
  `${server}/attacks/*.test.ts`,
  `${server}/attacks/scenes/**`,
  `${server}/costs/**`,
  `${server}/durability/**`,
  `${server}/operator/**`,
  `${server}/real-programs/**`,
  `${server}/fuzz-smtp.test.ts`,
  `${server}/provider-{push,rounds}.test.ts`,
  "**/*-cost.test.ts",
  // Slow files with many cases each; a shorter test shows the same behaviour in one case.
  `${server}/{attack-webhook,group-member,mail-limits,missing-mailbox}.test.ts`,
  `${server}/replies/generated-fields.test.ts`,
  "packages/age/src/{vectors,stock-program}.test.ts",
  "**/{age-vectors,fair-claim,every-route,key-import}.test.ts",
  "scripts/checks.test.ts",
  "**/*-oracle.test.ts",
  "**/other-verifiers.test.ts",
  "**/certificate-drills.test.ts",
];

/** The same for the journeys. */
export const deepJourneys: readonly string[] = [
  "e2e/account/{domain-standing,domains-by-keys,password-reset,ways-in,data-export,notices,preferences}.e2e.ts",
  "e2e/aliases/{alias-sheet,confirm,dashboard-load,order,palette}.e2e.ts",
  "e2e/any-page/{offline,refusals,screens-signed-in,screens-signed-out,states,theme,toast-walk,toasts}.e2e.ts",
  "e2e/browser/**",
  "e2e/engines/**",
  "e2e/keys/{import-keys,vault-worker}.e2e.ts",
  "e2e/mail/{compose-encrypted,encrypted-forwarding,hostile-html}.e2e.ts",
  "e2e/move/{checklist,move-from-simplelogin}.e2e.ts",
  "e2e/pages/{admin-proof,analytics,landing-motion,page-words,routes,static-pages}.e2e.ts",
  "e2e/sign-in/{registration,return,session-tabs,session-timeout,session-wiped,sign-in-settings,wallet-sign-in}.e2e.ts",
];
