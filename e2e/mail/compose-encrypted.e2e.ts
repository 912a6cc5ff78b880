/** A message encrypted in the browser, sent in encrypted form, and decrypted by the age program and by /decrypt. */
import { generateKeyPair } from "@kauke/age";
import type { PreviewMessage, PreviewSummary } from "@kauke/contract";
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { recordRequests } from "../browser/request-recorder.ts";
import { seeFieldError, seeFocus, seeToast, toasts } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { decryptWithAge, hasAge, masterPassword, storeKey } from "../keys/encrypted-texts.ts";

const site = runSite({ env: () => ({ KAUKE_UNDO_SECONDS: "1" }) });

const to = "rasa@outside.example";
const words = "The keys are under the third flowerpot.";
const typed = `Labas, Rasa \u{1F98A}\n\n${words}\n.\n-- \nJonas`;

const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const keyField = (page: Page) => field(page, "Recipient's Public Key");
const send = (page: Page) => page.getByRole("button", { name: "Send Email" }).click();
const turnOn = (page: Page) => page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();

/** Opens Compose for a person with one alias that can send, with encryption on. */
async function openCompose(forwardTo = "jonas.sealed@inbox.example") {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo });
  expect((await person.call("POST", "/api/smtp-credentials", { aliasId: alias.id })).status).toBe(201);
  const visit = await site.visit({ as: person });
  const requests = recordRequests(visit.context);
  const { page } = visit;
  await page.goto("/compose");
  await expect.poll(() => page.getByLabel("From").inputValue()).toBe(alias.id);
  await field(page, "To").fill(to);
  await field(page, "Subject").fill("Sealed");
  await field(page, "Message").fill(typed);
  return { ...visit, person, requests };
}

/** The message that arrived with this subject. */
async function received(subject: string): Promise<PreviewMessage> {
  const headers = { "x-preview-token": await site.server.previewToken() };
  const read = async <T>(path: string) => (await (await fetch(`${site.server.url}${path}`, { headers })).json()) as T;
  const find = async () => {
    const { messages } = await read<{ messages: PreviewSummary[] }>("/preview/api/messages");
    return messages.find((message) => message.subject === subject)?.id;
  };
  await expect.poll(find).toBeDefined();
  return read<PreviewMessage>(`/preview/api/messages/${await find()}`);
}

async function jobsSent(requests: ReturnType<typeof recordRequests>): Promise<string[]> {
  const jobs = (await requests.requests()).filter(
    ({ method, url }) => method === "POST" && url.endsWith("/api/email-jobs"),
  );
  return jobs.map(({ body }) => body.toString());
}

test("a message leaves the browser encrypted and is decrypted by the age program and in both ways by /decrypt", async () => {
  const { page, person, requests } = await openCompose();
  const key = await storeKey(person, "Personal");
  await turnOn(page);
  await page.getByText("Encryption Notice").waitFor();
  await page.getByText("The subject and the addresses are not encrypted.").waitFor();
  // A public key as copied from a key file, broken over two lines.
  await keyField(page).fill(`# public key: ${key.publicKey.slice(0, 30)}\n  ${key.publicKey.slice(30)}`);
  await page.getByText("Valid key").waitFor();
  await send(page);
  await seeToast(page, "Email queued", `To ${to}`);
  const [job = ""] = await jobsSent(requests);
  const { body, ...rest } = JSON.parse(job) as { body: string };
  expect(rest).toMatchObject({
    to,
    subject: "Sealed",
    useEncryption: true,
    recipientPublicKey: key.publicKey,
    priority: 0,
  });
  expect(body).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n[\w+/=\n]+-----END AGE ENCRYPTED FILE-----\n$/);

  const { text } = await received("Sealed");
  // The first line says how to open it.
  const [opening, armored = ""] = (text ?? "").split(/\r?\n\r?\n/);
  expect(opening).toMatch(/^This message is encrypted with age\. To read it, paste it at \S+\/decrypt /);
  expect(armored.trim()).toBe(body.trim());
  if (hasAge) expect(await decryptWithAge(armored, key.privateKey)).toBe(typed);

  await page.goto("/decrypt");
  const auto = page.getByRole("form", { name: "Auto Decrypt" });
  await auto.getByLabel("Master Password").fill(masterPassword);
  await auto.getByLabel("Encrypted Text").fill(text ?? "");
  await auto.getByRole("button", { name: "Decrypt Message" }).click();
  const result = page.getByRole("region", { name: "Decrypted text" });
  expect(await result.textContent()).toBe(typed);
  await page.getByRole("button", { name: "Clear Results" }).click();
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
  const manual = page.getByRole("form", { name: "Manual Decrypt" });
  await manual.getByLabel("Private Key").fill(key.privateKey);
  await manual.getByLabel("Encrypted Text").fill(text ?? "");
  await manual.getByRole("button", { name: "Decrypt Message" }).click();
  expect(await result.textContent()).toBe(typed);

  expect(await requests.find([words, masterPassword, key.privateKey])).toEqual([]);
  // Control: the search finds what is sent in clear.
  expect(await requests.find([key.publicKey])).not.toEqual([]);
});

test("an encrypted message whose response was lost is sent again as it was, and arrives once", async () => {
  const { page, context, requests, expectFailure } = await openCompose();
  expectFailure("/api/email-jobs");
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort("connectionreset");
  };
  await context.route("**/api/email-jobs", lose, { times: 1 });
  await turnOn(page);
  await keyField(page).fill((await generateKeyPair()).publicKey);
  await send(page);
  await toasts(page).getByText("Failed to queue email", { exact: true }).waitFor();
  await send(page);
  await seeToast(page, "Email queued", `To ${to}`);
  const [first, second] = await jobsSent(requests);
  expect(second).toBe(first);
  const { jobId } = JSON.parse(first ?? "") as { jobId: string };
  const jobs: unknown[] = [];
  // A job that was sent meanwhile is among those that ended.
  for (const query of ["", "?ended=true"]) {
    const reply = (await page.evaluate(`fetch("/api/email-jobs${query}").then((reply) => reply.json())`)) as {
      jobs: unknown[];
      ended?: unknown[];
    };
    jobs.push(...reply.jobs, ...(reply.ended ?? []));
  }
  expect(jobs).toMatchObject([{ jobId }]);
});

describe("nothing is sent", () => {
  test("without a key, which a toast and the field report", async () => {
    const { page, requests } = await openCompose();
    await turnOn(page);
    await send(page);
    const told = "Please provide the recipient's public key for encryption.";
    await seeToast(page, "Public key required", told);
    await seeFieldError(keyField(page), told);
    await seeFocus(keyField(page));
    expect(await jobsSent(requests)).toEqual([]);
    expect(await field(page, "Message").inputValue()).toBe(typed);
  });

  test.runIf(isLongRun)("with an invalid key, which is reported while it is typed and on sending", async () => {
    const { page, requests } = await openCompose();
    await turnOn(page);
    const { publicKey } = await generateKeyPair();
    await keyField(page).fill(publicKey.replace(/.$/, (last) => (last === "q" ? "p" : "q")));
    await seeFieldError(keyField(page), "This is not an AGE public key");
    await send(page);
    await seeToast(page, "Failed to queue email", "This is not an AGE public key");
    expect(await jobsSent(requests)).toEqual([]);
    // A corrected key is accepted, a post-quantum one too.
    await keyField(page).fill((await generateKeyPair("post-quantum")).publicKey);
    await page.getByText("Post-quantum key").waitFor();
    await send(page);
    await seeToast(page, "Email queued", `To ${to}`);
    expect(await requests.find([words])).toEqual([]);
  });

  test("if the message contains the mailbox that the alias forwards to, unless the leak guard is off", async () => {
    const { page, person, requests } = await openCompose("jonas.hidden@inbox.example");
    await field(page, "Message").fill("Write to Jonas.Hidden@inbox.example");
    await turnOn(page);
    await keyField(page).fill((await generateKeyPair()).publicKey);
    await send(page);
    const told =
      "Your message holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings";
    await seeFieldError(field(page, "Message"), told);
    expect(await jobsSent(requests)).toEqual([]);
    expect((await person.call("PATCH", "/api/account/settings", { leakGuard: false })).status).toBe(200);
    await send(page);
    await seeToast(page, "Email queued", `To ${to}`);
  });

  test("if the browser can't encrypt, and the form says so", async () => {
    const { page, context, requests } = await openCompose();
    await context.route("**/vault.worker*", (route) => route.abort("failed"));
    await turnOn(page);
    await keyField(page).fill((await generateKeyPair()).publicKey);
    await send(page);
    await page.getByRole("alert").getByText("The message could not be encrypted in this browser.").waitFor();
    expect(await jobsSent(requests)).toEqual([]);
    expect(await field(page, "Message").inputValue()).toBe(typed);
  });
});

test.runIf(isLongRun)("with encryption switched off again, the message is sent as it was typed", async () => {
  const { page, requests } = await openCompose();
  await turnOn(page);
  await keyField(page).fill((await generateKeyPair()).publicKey);
  await turnOn(page);
  await field(page, "Subject").fill("Open");
  await send(page);
  await seeToast(page, "Email queued", `To ${to}`);
  expect((await jobsSent(requests)).map((job) => JSON.parse(job))).toMatchObject([
    { useEncryption: false, body: typed },
  ]);
});
