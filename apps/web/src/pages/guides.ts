/** All guides are one chunk, since each chunk's name adds to the script that every page loads. */
export { ClientsGuidePage } from "./ClientsGuidePage.tsx";
export { DocsPage } from "./DocsPage.tsx";
export { MovingGuidePage } from "./MovingGuidePage.tsx";
export { SmtpGuidePage } from "./SmtpGuidePage.tsx";
