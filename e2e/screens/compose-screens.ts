/** Screens of the Compose page: one for every state that looks different. */
import { generateKeyPair } from "@kauke/age";
import type { CreatedEmailJob } from "@kauke/contract";
import { personas } from "@kauke/testkit/personas";
import type { Visit } from "../browser/browser.ts";
import { holdToast, onlyLong, overlaid, pageAt } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const composing = (name: string, open: Screen["open"], goOn?: Screen["goOn"]): Screen => ({
  name: `compose-${name}`,
  as: "some",
  async open(visit) {
    await visit.page.goto("/compose");
    await visit.page.getByRole("option", { name: "ci.alerts@tyla.test" }).waitFor({ state: "attached" });
    await open(visit);
  },
  ...(goOn === undefined ? {} : { goOn }),
});

async function fillMessage({ page }: Visit): Promise<void> {
  await page.getByLabel("From").selectOption({ label: "ci.alerts@tyla.test" });
  await page.getByLabel("To", { exact: true }).fill("rasa@example.org");
  await page.getByLabel("Subject").fill("Contract, second draft");
  await page
    .getByLabel("Message")
    .fill("Hi Rasa,\n\nthe second draft is below. Tell me if the dates still hold.\n\nJonas");
}

/** Chooses the first alias that has no SMTP credentials. */
async function chooseWithoutCredentials({ page }: Visit): Promise<void> {
  const from = page.getByLabel("From");
  const hint = page.getByText("Sending makes SMTP credentials for this alias", { exact: false });
  const values = await from
    .locator("option:enabled")
    .evaluateAll((options) => options.map((option) => option.getAttribute("value") ?? ""));
  for (const value of values) {
    await from.selectOption(value);
    if (await hint.isVisible()) return;
  }
  throw new Error("every alias has SMTP credentials");
}

const queued: CreatedEmailJob = {
  jobId: "00000000-0000-4000-8000-000000000001",
  canUndo: true,
  undoSeconds: 6,
  status: "pending",
};

async function encrypt({ page }: Visit): Promise<void> {
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  await page.getByLabel("Recipient's Public Key").fill((await generateKeyPair()).publicKey);
  await page.getByText("Valid key").waitFor();
}

/** Enters an invalid public key and waits for the field's error. */
async function refuseKey({ page }: Visit): Promise<void> {
  await page.getByLabel("Recipient's Public Key").fill("age1m5aahn0t09nl4ujy8624fl6zy54klay");
  await page.getByRole("alert").waitFor();
}

const fileNamed = (name: string) => ({ name, mimeType: "application/pdf", buffer: Buffer.alloc(2048) });

/** Sends the message to a server that takes it and responds with this state of it. */
async function sendWith(visit: Visit, state: Record<string, unknown>): Promise<void> {
  await visit.context.route("**/api/email-jobs/*/status", (route) =>
    route.fulfill({
      json: { success: true, currentRetries: 0, maxRetries: 3, lastError: null, messageId: null, ...state },
    }),
  );
  await visit.context.route("**/api/email-jobs", (route) => route.fulfill({ status: 201, json: queued }));
  await visit.page.getByRole("button", { name: "Send Email" }).click();
  await visit.page.getByRole("button", { name: "Write Another" }).waitFor();
}

export const composeScreens: readonly Screen[] = [
  composing("sent", async (visit) => {
    await fillMessage(visit);
    await sendWith(visit, { status: "sent" });
    await visit.page.getByRole("heading", { name: /^Sent to/ }).waitFor();
  }),
  onlyLong(
    composing("failed", async (visit) => {
      await fillMessage(visit);
      await sendWith(visit, {
        status: "failed",
        lastError: "The recipient's address did not take it: there is no such mailbox.",
      });
      await visit.page.getByRole("heading", { name: /^Not sent to/ }).waitFor();
    }),
  ),
  composing("leak", async (visit) => {
    visit.expectRefusal(400, "/api/email-jobs");
    await fillMessage(visit);
    await visit.page.getByLabel("Message").fill(`Hi Rasa,\n\nplease write to ${personas.some.aliases[0]?.forwardTo}.`);
    await visit.page.getByRole("button", { name: "Send Email" }).click();
    await visit.page.getByRole("button", { name: "Use the alias instead" }).waitFor();
  }),
  onlyLong(
    composing("scheduled", async (visit) => {
      await fillMessage(visit);
      await visit.page.getByRole("button", { name: "Later…" }).click();
      await visit.page.getByRole("button", { name: /^Tomorrow morning/ }).click();
      await visit.page.getByText(/^Leaves/).waitFor();
    }),
  ),
  composing("schedule", async (visit) => {
    await visit.page.getByRole("button", { name: "Later…" }).click();
    await visit.page.getByRole("dialog", { name: "Send later" }).waitFor();
  }),
  composing("files", async (visit) => {
    await fillMessage(visit);
    const json = { attachmentId: "00000000-0000-4000-8000-000000000002", sizeBytes: 2048 };
    await visit.context.route("**/api/email-attachments", (route) => route.fulfill({ status: 201, json }));
    await visit.page
      .getByLabel("Files to attach")
      .setInputFiles(["Contract, second draft.pdf", "floor-plan.png"].map(fileNamed));
    await visit.page
      .getByText(/Attached$/)
      .last()
      .waitFor();
  }),
  composing("drafts", async (visit) => {
    await fillMessage(visit);
    await visit.page.getByText(/^Draft saved/).waitFor();
    await visit.page.evaluate("sessionStorage.clear()");
    await visit.page.reload();
    await visit.page.getByRole("button", { name: /^Drafts/ }).click();
  }),
  onlyLong(pageAt("/compose", "compose-no-alias", "empty")),
  composing("waiting", async (visit) => {
    const jobs = [
      {
        status: "sending",
        scheduledAt: new Date().toISOString(),
        subject: "Contract, second draft",
        currentRetries: 0,
      },
      { status: "pending", scheduledAt: "2099-03-05T09:30:00.000Z", subject: "Happy birthday", currentRetries: 0 },
    ].map((job, index) => ({
      ...job,
      jobId: `00000000-0000-4000-8000-00000000000${index}`,
      aliasId: null,
      to: "rasa@outside.example",
      recipients: [{ address: "rasa@outside.example", kind: "to", state: job.status, lastError: null }],
      maxRetries: 3,
      lastError: null,
    }));
    await visit.context.route("**/api/email-jobs", (route) => route.fulfill({ json: { jobs } }));
    // The job that is being sent is asked for by itself.
    const one = { success: true, messageId: null, ...jobs[0] };
    await visit.context.route("**/api/email-jobs/*/status", (route) => route.fulfill({ json: one }));
    await visit.page.reload();
    await visit.page.getByRole("region", { name: "Waiting to be sent" }).waitFor();
  }),
  onlyLong(
    composing("refused", async ({ page }) => {
      await page.getByRole("button", { name: "Send Email" }).click();
      await page.getByRole("alert").last().waitFor();
    }),
  ),
  composing("written", fillMessage),
  composing("first-message", chooseWithoutCredentials, chooseWithoutCredentials),
  composing(
    "encrypted",
    async (visit) => {
      await fillMessage(visit);
      await encrypt(visit);
    },
    encrypt,
  ),
  onlyLong(
    composing(
      "key-refused",
      async (visit) => {
        await fillMessage(visit);
        await encrypt(visit);
        await refuseKey(visit);
      },
      refuseKey,
    ),
  ),
  onlyLong(
    overlaid(
      composing("queued-toast", async (visit) => {
        await fillMessage(visit);
        // The job does not exist on the server: requests for its state get no response.
        await visit.context.route("**/api/email-jobs/*/status", () => {});
        await visit.context.route("**/api/email-jobs", (route) => route.fulfill({ status: 201, json: queued }));
        await visit.page.getByRole("button", { name: "Send Email" }).click();
        await holdToast(visit);
      }),
    ),
  ),
];
