/** Pages that mailed links lead to are one chunk, since each chunk's name adds to the script that every page loads. */
export { ForgotPage, ResetPage } from "./ForgottenPasswordPages.tsx";
export { ConfirmEmailPage, NewEmailPage, SignInLinkPage } from "./MailedLinkPages.tsx";
