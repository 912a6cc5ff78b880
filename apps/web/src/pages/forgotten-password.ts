/**
 * Pages for a forgotten password as one chunk: the name of each further chunk adds to the script that every page loads.
 */
export { ForgotPage } from "./ForgotPage.tsx";
export { ResetPage } from "./ResetPage.tsx";
