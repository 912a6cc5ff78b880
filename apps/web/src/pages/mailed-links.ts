/** Pages of links in mail as one chunk: the name of each further chunk adds to the script that every page loads. */
export { ConfirmEmailPage } from "./ConfirmEmailPage.tsx";
export { NewEmailPage } from "./NewEmailPage.tsx";
export { SignInLinkPage } from "./SignInLinkPage.tsx";
