/**
 * Every toast that the specification names (its sections 4, 5 and 8), word for word, and how a person causes it. The
 * walks of `toast-walks.ts` cause them.
 */

export interface CataloguedToast {
  title: string;
  /** Second line of the toast; `null` if it has none. */
  text: string | RegExp | null;
  look: "good" | "info" | "bad";
  /** How a person causes the toast. */
  when: string;
}

const good = (title: string, text: CataloguedToast["text"], when: string): CataloguedToast => ({
  title,
  text,
  look: "good",
  when,
});
const info = (title: string, text: CataloguedToast["text"], when: string): CataloguedToast => ({
  ...good(title, text, when),
  look: "info",
});
const bad = (title: string, text: CataloguedToast["text"], when: string): CataloguedToast => ({
  ...good(title, text, when),
  look: "bad",
});

export const toastCatalogue = {
  "password-mismatch": bad("Password Mismatch", "Passwords do not match", "registers with two different passwords"),
  "password-too-short": bad(
    "Password Too Short",
    "Password must be at least 8 characters",
    "registers with seven characters",
  ),
  "registration-failed": bad("Registration Failed", "Failed to create account", "the answer can't be read"),
  "registration-wordless": bad("Registration Failed", "Registration failed", "a proxy answers instead of the server"),
  "login-failed": bad("Login Failed", "Invalid email or password", "a wrong password"),
  "login-wordless": bad("Login Failed", "Login failed", "a proxy answers instead of the server"),
  "wallet-not-found": bad(
    "Connection Failed",
    "Solana wallet not found. Please install Phantom or another Solana wallet.",
    "no wallet in the browser",
  ),
  "wallet-refused": bad("Connection Failed", "Failed to connect wallet", "says no in the wallet"),
  "wallet-authentication-failed": bad(
    "Connection Failed",
    "Wallet authentication failed",
    "the wallet's call is not answered well",
  ),
  "google-failed": bad(
    "Google Login Failed",
    "Failed to login with Google",
    "comes back from Google without a session",
  ),
  "logged-out": good("Logged Out", "Successfully logged out", "logs out"),

  "rate-limited": bad(
    "Rate Limit Exceeded",
    /^You have created too many aliases in a short time\. Try again after (?:\d+ \w+, )?\d{2}:\d{2}$/,
    "the server refuses an alias for a while",
  ),
  "validation-error": bad(
    "Validation Error",
    "Please fix the errors shown below and try again.",
    "forwards to the provider's own domain, which only the server refuses",
  ),
  "creation-failed": bad("Creation Failed", "Failed to create alias", "the answer can't be read"),
  "creation-refused": bad(
    "Creation Failed",
    "This alias is already taken. Please choose another name.",
    "takes a name that is taken: the server's own message",
  ),
  "creation-without-message": bad("Creation Failed", "502: Bad Gateway", "a proxy answers with a page of HTML"),
  "alias-reserved": bad("Alias Not Allowed", "The name admin is reserved.", "asks for a reserved name"),
  "toggle-failed": bad("Toggle Failed", "Failed to toggle alias", "the answer to the switch can't be read"),
  "update-failed": bad("Update Failed", "Failed to update alias", "the answer to the edit can't be read"),
  "alias-deletion-failed": bad("Deletion Failed", "Failed to delete alias", "the answer to the deletion can't be read"),
  copied: good("Copied to clipboard", /^\S+@\S+$/, "copies an address"),
  "copy-failed": bad("Copy failed", "Unable to copy to clipboard", "copies where the page has no clipboard"),
  "account-deletion-failed": bad("Deletion Failed", "Failed to delete account", "the answer can't be read"),

  "smtp-not-created": bad("Error", "Failed to create SMTP credentials", "generating credentials is refused"),
  "smtp-password-unreachable": bad("Error", "Failed to fetch password", "views the password, no answer comes"),
  "smtp-password-status": bad("Error", "Failed to fetch password: 503", "views the password, refused with a status"),
  "smtp-password-not-json": bad("Error", "Server returned non-JSON response", "views the password, HTML comes"),
  "smtp-password-missing": bad(
    "Error",
    "No password found or invalid response",
    "views the password, JSON without one",
  ),
  "smtp-not-regenerated": bad("Error", "Failed to regenerate password", "regenerating is refused"),
  "smtp-not-deleted": bad("Error", "Failed to delete SMTP credentials", "deleting is refused"),

  "key-not-created": bad("Failed to create key", "Too many keys.", "the server refuses to store the key"),
  "key-not-downloaded": bad("Download failed", "Encryption key not found", "the key is gone at the server"),
  "key-not-deleted": bad(
    "Failed to delete key",
    "The key could not be deleted. Please try again.",
    "the answer can't be read",
  ),

  "email-queued": info("Email queued", "To rasa@outside.example", "sends: with Undo"),
  "email-cancelled": good(
    "Email sending cancelled",
    "Your email has been successfully cancelled and will not be sent.",
    "presses Undo in time",
  ),
  "email-not-cancelled": bad(
    "Unable to cancel email",
    "The email may have already been sent.",
    "presses Undo, the answer can't be read",
  ),
  "email-not-queued": bad("Failed to queue email", "Not now.", "the server does not take the message"),
  "email-retried": info(
    "Email retry in progress",
    "Retry 1/3. Previous error: the mailbox is full",
    "the status tells of a retry",
  ),
  "email-sent": good("Email sent", "To rasa@outside.example", "the status is sent"),
  "email-failed": bad("Email failed to send", "Retries: 3/3. the mailbox is full", "the status is failed"),
  "email-failed-unknown": bad("Email failed to send", "Retries: 0/3. Unknown error", "the status is failed, no reason"),
  "public-key-required": bad(
    "Public key required",
    "Please provide the recipient's public key for encryption.",
    "sends with encryption on and no key",
  ),

  decrypted: good("Decryption successful", null, "the key fits"),
  "result-copied": good("Copied to clipboard", null, "copies the text"),
  "result-not-copied": bad(
    "Copy failed",
    "Failed to copy text to clipboard.",
    "copies the text where the page has no clipboard",
  ),
  "key-needs-update": bad(
    "Encryption key needs update",
    /older method.*[Dd]elete it and create a new one in Settings/,
    "the stored key is of an older form",
  ),
  "key-incompatible": bad(
    "Key Compatibility Issue",
    "Create a new key in Settings for auto-decrypt, or use manual decrypt.",
    "the server says that the key lacks master password protection",
  ),
  "decryption-refused": bad("Decryption failed", "Encryption key not found", "the server's own message"),
  "decryption-errored": bad(
    "Decryption failed",
    "An error occurred while decrypting the message.",
    "auto: the answer with the key can't be read",
  ),
  "decryption-failed-manual": bad(
    "Decryption failed",
    "The private key is not valid.",
    "manual: what is pasted is no private key",
  ),
} as const satisfies Record<string, CataloguedToast>;

export type ToastName = keyof typeof toastCatalogue;
