/** The visible states in section 4 of the specification: how a person gets there, and what is shown then. */
import { generateKeyPair } from "@kauke/age";
import type { Person } from "@kauke/testkit/person";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../browser/browser.ts";
import { aliasSwitch } from "../browser/steps.ts";
import { encryptedText } from "../keys/encrypted-texts.ts";

export interface Witness extends Visit {
  person: Person;
  /** Address of the person's alias, e.g. `a1@kauke.test`. */
  address: string;
}

export interface State {
  name: string;
  reach(witness: Witness): Promise<void>;
  /** Elements that must all be visible, at every width and in both themes. */
  seen(witness: Witness): Locator[];
  /** Elements that must all be absent. */
  unseen?(witness: Witness): Locator[];
}

/** States that follow each other in one visit. */
export interface StateWalk {
  signedIn: boolean;
  states: readonly State[];
}

const main = (page: Page) => page.getByRole("main");
const link = (page: Page, name: string) => main(page).getByRole("link", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

async function holdSession({ context }: Visit): Promise<void> {
  await context.route("**/api/auth/session", () => {});
}

/**
 * States while the session is being checked, shown to visitors who may have a session; others get the pre-rendered
 * page at once.
 */
const asking: readonly State[] = [
  {
    name: "the session is being checked",
    reach: async (witness) => {
      await holdSession(witness);
      await witness.page.goto("/dashboard");
    },
    seen: ({ page }) => [page.getByRole("status").getByText("Loading...", { exact: true })],
    unseen: ({ page }) => [page.getByRole("link", { name: "SIGN IN" }), page.getByLabel("Password")],
  },
];

const signedOut: readonly State[] = [
  {
    name: "the landing page waits for the session check",
    reach: async (witness) => {
      await holdSession(witness);
      await witness.page.goto("/");
    },
    seen: ({ page }) => [
      main(page).getByRole("button", { name: "Loading...", disabled: true }).first(),
      main(page).getByRole("button", { name: "Loading...", disabled: true }).last(),
    ],
    unseen: ({ page }) => [link(page, "Sign up with email"), link(page, "Go to Dashboard")],
  },
  {
    name: "the landing page invites to sign in",
    reach: async ({ page, context }) => {
      await context.unroute("**/api/auth/session");
      await page.goto("/home");
    },
    seen: ({ page }) => [link(page, "Sign up with email"), link(page, "Get Started Free")],
    unseen: ({ page }) => [link(page, "Go to Dashboard"), page.getByRole("button", { name: "Loading..." })],
  },
];

const panel = ({ page, address }: Witness) => page.getByRole("region", { name: `SMTP settings of ${address}` });
const inPanel = (witness: Witness, name: string) => panel(witness).getByRole("button", { name, exact: true });
const paused = ({ page }: Witness) => page.getByText("Paused - emails silently dropped", { exact: true });
const deletion = ({ page }: Witness) => page.getByRole("dialog", { name: "Delete account" });

const signedIn: readonly State[] = [
  {
    name: "the landing page leads signed-in people to the dashboard",
    reach: async ({ page }) => void (await page.goto("/home")),
    seen: ({ page }) => [link(page, "Go to Dashboard").first(), link(page, "Go to Dashboard").last()],
    unseen: ({ page }) => [link(page, "Sign up with email"), link(page, "Get Started Free")],
  },
  {
    name: "an alias is active",
    reach: async ({ page }) => void (await page.goto("/dashboard")),
    seen: ({ page, address }) => [aliasSwitch(page, address).and(page.locator("[aria-checked=true]"))],
    unseen: (witness) => [paused(witness)],
  },
  {
    name: "an alias is paused",
    reach: ({ page, address }) => aliasSwitch(page, address).click(),
    seen: (witness) => [
      aliasSwitch(witness.page, witness.address).and(witness.page.locator("[aria-checked=false]")),
      paused(witness),
    ],
  },
  {
    name: "a row is being edited",
    reach: ({ page, address }) => button(page, `Edit ${address}`).click(),
    seen: ({ page }) => [
      ...["Forward to", "Notes"].map((name) => page.getByRole("row").getByRole("textbox", { name, exact: true })),
      page.getByRole("row").getByRole("button", { name: /^Save/ }),
      page.getByRole("row").getByRole("button", { name: /^Cancel/ }),
    ],
  },
  {
    name: "there are no SMTP credentials",
    reach: async ({ page, address }) => {
      await page.keyboard.press("Escape");
      await button(page, `SMTP settings of ${address}`).click();
    },
    seen: (witness) => [inPanel(witness, "Generate credentials")],
    unseen: ({ page }) => [page.getByRole("row").getByRole("textbox")],
  },
  {
    name: "a new SMTP password is shown, to be copied now",
    reach: (witness) => inPanel(witness, "Generate credentials").click(),
    seen: (witness) => [panel(witness).getByText(/^Copy now\. The password hides in/), inPanel(witness, "Hide")],
  },
  {
    name: "the SMTP password is hidden",
    reach: (witness) => inPanel(witness, "Hide").click(),
    seen: (witness) => [inPanel(witness, "View")],
    unseen: (witness) => [panel(witness).getByRole("code")],
  },
  {
    name: "the SMTP password is shown",
    reach: (witness) => inPanel(witness, "View").click(),
    seen: (witness) => [panel(witness).getByRole("code"), panel(witness).getByText(/^The password hides in 0:\d\d$/)],
    unseen: (witness) => [panel(witness).getByText(/^Copy now/)],
  },
  {
    name: "deleting the account waits for the word",
    reach: ({ page }) => button(page, "Delete Account").click(),
    seen: (witness) => [deletion(witness).getByRole("button", { name: "Delete Account", disabled: true })],
  },
  {
    name: "deleting the account can be confirmed",
    reach: (witness) => deletion(witness).getByLabel("Type DELETE to confirm").fill("delete"),
    seen: (witness) => [deletion(witness).getByRole("button", { name: "Delete Account", disabled: false })],
  },
  {
    name: "nothing is decrypted",
    reach: async ({ page }) => {
      await page.goto("/decrypt");
      await page.getByRole("tab", { name: "Manual Decrypt" }).click();
    },
    seen: ({ page }) => [page.getByText("Enter encrypted text and decrypt to see results")],
    unseen: ({ page }) => [page.getByText("Successfully decrypted")],
  },
  {
    name: "a message is decrypted",
    reach: async ({ page }) => {
      const { publicKey, privateKey } = await generateKeyPair();
      await page.getByLabel("Private Key").fill(privateKey);
      await page
        .getByLabel("Encrypted Text")
        .last()
        .fill(await encryptedText("Labas, Rasa", publicKey));
      await button(page, "Decrypt Message").click();
    },
    seen: ({ page }) => [
      page.getByRole("region", { name: "Decrypted text" }).getByText("Labas, Rasa"),
      page.getByText("Successfully decrypted"),
      button(page, "Clear Results"),
    ],
  },
  {
    name: "the result is cleared",
    reach: ({ page }) => button(page, "Clear Results").click(),
    seen: ({ page }) => [page.getByText("Enter encrypted text and decrypt to see results")],
    unseen: ({ page }) => [page.getByText("Labas, Rasa")],
  },
];

const MINUTE_MS = 60_000;
const warning = ({ page }: Witness) => page.getByRole("dialog", { name: "Session Timeout Warning" });

/** States on a page with a manual clock. */
const inactive: readonly State[] = [
  {
    name: "the session is about to end",
    reach: async (witness) => {
      const { page } = witness;
      await page.clock.install();
      await page.goto("/dashboard");
      await aliasSwitch(page, witness.address).waitFor();
      // The script that watches for inactivity may still be loading, so time is advanced until it warns.
      while ((await warning(witness).count()) === 0) {
        await page.clock.fastForward(25 * MINUTE_MS);
        await warning(witness)
          .waitFor({ timeout: 1000 })
          .catch(() => {});
      }
    },
    seen: (witness) => [
      warning(witness).getByText("You will be logged out for inactivity in"),
      warning(witness)
        .getByRole("timer")
        .getByText(/^[45]:\d\d$/),
      warning(witness).getByRole("button", { name: "Logout Now" }),
      warning(witness).getByRole("button", { name: "Stay Logged In" }),
    ],
  },
];

export const stateWalks: Readonly<Record<string, StateWalk>> = {
  "during the session check": { signedIn: true, states: asking },
  "signed out": { signedIn: false, states: signedOut },
  "signed in": { signedIn: true, states: signedIn },
  inactive: { signedIn: true, states: inactive },
};
