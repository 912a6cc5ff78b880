/** The legal pages as one chunk: the name of each further chunk adds to the script that every page loads. */
export { GdprPage } from "./GdprPage.tsx";
export { PrivacyPage } from "./PrivacyPage.tsx";
export { TermsPage } from "./TermsPage.tsx";
