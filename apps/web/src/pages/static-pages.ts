/** All static pages are one chunk, since each chunk's name adds to the script that every page loads. */
export { AboutPage } from "./AboutPage.tsx";
export { GdprPage } from "./GdprPage.tsx";
export { PrivacyPage } from "./PrivacyPage.tsx";
export { TermsPage } from "./TermsPage.tsx";
export { TransparencyPage } from "./TransparencyPage.tsx";
