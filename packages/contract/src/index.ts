/** The contract between browser and server: shapes, limits, codes, route table. Imports nothing of ours. */
export * from "./account-export-endpoints.ts";
export * from "./alias.ts";
export * from "./auth.ts";
export * from "./confirmations.ts";
export * from "./email-jobs.ts";
export * from "./encryption.ts";
export * from "./endpoint.ts";
export * from "./endpoints.ts";
export * from "./errors.ts";
export * from "./google.ts";
export * from "./legal-facts.ts";
export * from "./limits.ts";
export * from "./page-events.ts";
export * from "./preview.ts";
export * from "./smtp-credentials.ts";
export * from "./wallet.ts";
