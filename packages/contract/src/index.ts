/**
 * The contract between browser and server: schemas, limits, error codes, route table. Imports no other package of ours.
 */
export * from "./account/account-export-endpoints.ts";
export * from "./account/auth.ts";
export * from "./account/google.ts";
export * from "./account/google-off.ts";
export * from "./account/sign-in.ts";
export * from "./account/wallet.ts";
export * from "./account/ways-in.ts";
export * from "./alias.ts";
export * from "./alias-bulk.ts";
export * from "./api-keys.ts";
export * from "./checklist.ts";
export * from "./confirmations.ts";
export * from "./email-jobs.ts";
export * from "./encryption.ts";
export * from "./endpoint.ts";
export * from "./endpoints.ts";
export * from "./errors.ts";
export * from "./generated-names.ts";
export * from "./imports.ts";
export * from "./labels.ts";
export * from "./legal-facts.ts";
export * from "./limits.ts";
export * from "./mailboxes.ts";
export * from "./page-events.ts";
export * from "./page-values.ts";
export * from "./preview.ts";
export * from "./routes.ts";
export * from "./smtp-credentials.ts";
