/** Notices that tell an owner that mail finally failed, and how they are dismissed. */
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seeHeading, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { multipartMessage } from "../mail/message.ts";

let mx: FakeMx;
/**
 * Mailboxes whose name begins with `gone` don't exist; those that begin with `slow` always reply with a temporary
 * failure.
 */
beforeAll(async () => {
  mx = await FakeMx.start({
    answer: ({ stage, line }) => {
      if (stage !== "rcpt") return undefined;
      if (line.includes("<gone")) return "550 5.1.1 no such mailbox";
      return line.includes("<slow") ? "451 4.3.2 later" : undefined;
    },
  });
});
afterAll(() => mx.close());

const site = runSite({
  env: () => ({ KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`, KAUKE_RETRY_SCHEDULE: "1s" }),
});

const notices = (page: Page) => page.getByRole("region", { name: "Notices" });

async function sendTo(alias: string): Promise<void> {
  await sendMail({ port: site.server.mxPort, to: `${alias}@kauke.test`, message: multipartMessage(1) });
}

/** Waits until the server has this number of notices for the person. */
async function untilNotices(person: Person, count: number): Promise<void> {
  await expect.poll(async () => (await person.notices()).length).toBe(count);
}

test("a destination that did not accept the mail in time is shown to the owner until the notice is dismissed", async () => {
  const person = await site.person();
  const { page } = await site.visit({ as: person });
  const { alias } = await person.createAlias({ forwardTo: "slow@inbox.example" });
  await page.goto("/dashboard");
  await seeHeading(page, "Email Forwarding");
  expect(await notices(page).count()).toBe(0);
  await sendTo(alias);
  await untilNotices(person, 1);

  // The open page learns it by itself.
  const notice = notices(page).getByRole("listitem");
  await notice.getByText("Mail not delivered", { exact: true }).waitFor({ timeout: 2000 });
  const text = new RegExp(`Mail to ${alias}@kauke\\.test could not be delivered to slow@inbox\\.example: .+\\.`);
  await notice.getByText(text).waitFor();
  await notice.getByRole("button", { name: /^Dismiss: / }).click();
  await expect.poll(() => notices(page).count()).toBe(0);
  await untilNotices(person, 0);
  await page.reload();
  await seeHeading(page, "Email Forwarding");
  await page.getByRole("row").filter({ hasText: alias }).waitFor();
  expect(await notices(page).count()).toBe(0);
});

test.runIf(isLongRun)("the failure of one of two destinations is shown, while the other has the mail", async () => {
  const person = await site.person();
  const { alias } = await person.createAlias({ forwardTo: "gone@inbox.example, there@inbox.example" });
  await sendTo(alias);
  await mx.waitForMessages(1);
  await untilNotices(person, 1);
  const { page } = await site.visit({ as: person });
  await page.goto("/dashboard");
  await notices(page)
    .getByText(/delivered to gone@inbox\.example: there is no such mailbox\./)
    .waitFor();
  expect(
    await notices(page)
      .getByText(/there@inbox/)
      .count(),
  ).toBe(0);
});

test("three of many notices are shown, the others on request, and nobody sees another account's", async () => {
  const person = await site.person();
  for (let count = 1; count <= 5; count++) {
    const { alias } = await person.createAlias({ forwardTo: `gone${count}@inbox.example, fine@inbox.example` });
    await sendTo(alias);
  }
  await untilNotices(person, 5);
  const { page } = await site.visit({ as: person });
  await page.goto("/dashboard");
  const shown = notices(page).getByRole("listitem");
  await expect.poll(() => shown.count()).toBe(3);
  await notices(page).getByRole("button", { name: "Show all 5 notices" }).click();
  await expect.poll(() => shown.count()).toBe(5);

  const other = await site.visit({ as: await site.person() });
  await other.page.goto("/dashboard");
  await other.page.getByText("No aliases yet", { exact: true }).waitFor();
  expect(await notices(other.page).count()).toBe(0);
});

test.runIf(isLongRun)("a notice whose dismissal fails comes back, with a message", async () => {
  const person = await site.person();
  const { alias } = await person.createAlias({ forwardTo: "gone@inbox.example, fine@inbox.example" });
  await sendTo(alias);
  await untilNotices(person, 1);
  const { page, context, expectFailure } = await site.visit({ as: person });
  expectFailure(/^\/api\/notices\/[\w-]+$/);
  await context.route("**/api/notices/*", (route) => route.abort("connectionrefused"));
  await page.goto("/dashboard");
  await notices(page)
    .getByRole("button", { name: /^Dismiss: / })
    .click();
  await seeToast(page, "Dismissal Failed", /could not be reached/);
  await notices(page).getByText("Mail not delivered", { exact: true }).waitFor();
});
