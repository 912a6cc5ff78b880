/** The states of the registration page while it is closed or by invitation. */
import { type RegistrationMode, registrationMessages, registrationMeta } from "@kauke/contract";
import type { Visit } from "../browser/browser.ts";
import { seeHeading } from "../browser/see.ts";
import { fillRegister } from "../browser/steps.ts";
import { onlyLong } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const token = "a".repeat(32);

/** Serves the plain shell with this mode, as a server with that setting does. */
async function openAs({ page, context }: Visit, mode: RegistrationMode, hash = ""): Promise<void> {
  const meta = (content: string) => `<meta name="${registrationMeta}" content="${content}">`;
  await context.route(/\/register$/, async (route) => {
    const response = await route.fetch({ url: new URL("/forgot", page.url()).href });
    await route.fulfill({ response, body: (await response.text()).replace(meta("open"), meta(mode)) });
  });
  await page.goto(`/register${hash}`);
}

const pasteBroken = async ({ page }: Visit): Promise<void> => {
  await page.getByLabel("Invitation link or code").fill("https://kauke.example/register#invite=abc");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
};

const refuseInvite = async ({ page, context, expectRefusal }: Visit): Promise<void> => {
  expectRefusal(403, "/api/auth/register");
  const refusal = { code: "invite_required", message: registrationMessages.invite };
  await context.route("**/api/auth/register", (route) => route.fulfill({ status: 403, json: refusal }));
  await fillRegister(page, { email: "ona@people.example" });
  await page.getByRole("alert").waitFor();
};

const byInvitation: Screen = {
  name: "register-by-invitation",
  async open(visit) {
    await visit.page.goto("/forgot");
    await openAs(visit, "invite");
    await seeHeading(visit.page, "Kauke here is by invitation");
  },
};

const invited: Screen = {
  name: "register-invited",
  async open(visit) {
    await visit.page.goto("/forgot");
    await openAs(visit, "invite", `#invite=${token}`);
    await visit.page.getByText("You are invited.").waitFor();
  },
};

export const registrationScreens: readonly Screen[] = [
  byInvitation,
  onlyLong({
    name: "register-broken-invitation",
    async open(visit) {
      await byInvitation.open(visit);
      await pasteBroken(visit);
    },
    goOn: pasteBroken,
  }),
  invited,
  onlyLong({
    name: "register-refused-invitation",
    async open(visit) {
      await invited.open(visit);
      await refuseInvite(visit);
    },
    goOn: refuseInvite,
  }),
  {
    name: "register-closed",
    async open(visit) {
      await visit.page.goto("/forgot");
      await openAs(visit, "closed");
      await seeHeading(visit.page, "Registration is closed");
    },
  },
];
