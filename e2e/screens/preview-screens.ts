/** Screens of the preview inbox: one for every state that looks different. */
import { personas } from "@kauke/testkit/personas";
import type { Visit } from "../browser/browser.ts";
import { subjectOf } from "../mail/message.ts";
import type { Screen } from "./screen.ts";

async function openMessage({ page }: Visit): Promise<void> {
  await page
    .getByRole("listitem")
    .getByRole("button", { name: subjectOf(12) })
    .click();
}

async function showPart({ page }: Visit, part: string): Promise<void> {
  await page.getByRole("tab", { name: part, exact: true }).click();
  await page.getByRole("tabpanel", { name: part, exact: true }).waitFor();
}

async function openPart(visit: Visit, part: string): Promise<void> {
  await visit.page.goto("/preview");
  await openMessage(visit);
  await showPart(visit, part);
}

const message = (part: string): Screen => ({
  name: `message-${part.toLowerCase()}`,
  open: (visit) => openPart(visit, part),
  goOn: (visit) => showPart(visit, part),
});

async function refuseReply(visit: Visit): Promise<void> {
  const { page } = visit;
  visit.expectRefusal(400, /\/reply$/);
  await page.getByRole("button", { name: "Reply all" }).click();
  const composer = page.getByRole("form", { name: "Reply all" });
  await composer.getByRole("textbox").fill(`My own address is ${personas.some.aliases[0]?.forwardTo}.`);
  await composer.getByRole("button", { name: "Send Reply" }).click();
  await composer.getByRole("alert").waitFor();
}

export const previewScreens: readonly Screen[] = [
  {
    name: "preview-empty",
    async open({ page, context }) {
      await context.route("**/preview/api/messages", (route) => route.fulfill({ json: { messages: [] } }));
      await page.goto("/preview");
      await page.getByText("No messages yet").waitFor();
    },
  },
  {
    name: "preview-locked",
    async open({ page, context, expectRefusal }) {
      await context.clearCookies();
      expectRefusal(403, "/preview");
      await page.goto("/preview");
      await page.getByText("/preview?token=…").waitFor();
    },
  },
  {
    name: "preview-list",
    async open({ page }) {
      await page.goto("/preview");
      await page
        .getByRole("listitem")
        .getByRole("button", { name: subjectOf(12) })
        .waitFor();
    },
  },
  {
    ...message("Text"),
    async goOn(visit) {
      await openMessage(visit);
      await showPart(visit, "Text");
    },
  },
  message("HTML"),
  message("Headers"),
  message("Raw"),
  {
    name: "message-reply-refused",
    async open(visit) {
      await openPart(visit, "Text");
      await refuseReply(visit);
    },
    async goOn(visit) {
      await showPart(visit, "Text");
      await refuseReply(visit);
    },
  },
];
