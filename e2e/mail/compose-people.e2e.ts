/** People one wrote to: their keys are filled in, and can be forgotten. */
import { generateKeyPair } from "@kauke/age";
import { expect, test } from "vitest";
import { seeFocus, seeGone, seeToast } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";

const site = runSite({ env: () => ({ KAUKE_UNDO_SECONDS: "1" }) });

const to = "rasa@outside.example";

test("the key of somebody one wrote to is filled in, until that person is forgotten", async () => {
  const person = await site.person();
  const alias = await person.createAlias({ forwardTo: "jonas.people@inbox.example" });
  const { page } = await site.visit({ as: person });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const key = field("Recipient's Public Key");
  const encryption = page.getByRole("switch", { name: "Enable End-to-End Encryption" });
  const { publicKey } = await generateKeyPair();
  await page.goto("/compose");
  await expect.poll(() => page.getByLabel("From").inputValue()).toBe(alias.id);
  await field("To").fill(to);
  await field("Subject").fill("Sealed");
  await field("Message").fill("Labas");
  await page.getByText(`Not encrypted · ${to} has no key`).waitFor();
  await encryption.click();
  await key.fill(publicKey);
  await page.getByRole("button", { name: "Send Email" }).click();
  await seeToast(page, "Email queued", `To ${to}`);
  await page.getByRole("button", { name: "Write Another" }).click();
  await seeFocus(field("To"));
  await field("To").fill(to);
  await page.keyboard.press("Enter");
  await page.getByRole("img", { name: "Key known" }).waitFor();
  await page.getByText("Not encrypted · the key is known").waitFor();
  await encryption.click();
  await expect.poll(() => key.inputValue()).toBe(publicKey);
  await page.getByText("Remembered · Valid key").waitFor();

  await page.goto("/settings/mail");
  const people = page.getByRole("list", { name: "Remembered people" });
  await people.getByText(to).waitFor();
  await page.getByRole("button", { name: `Forget ${to}` }).click();
  await page.getByText("Nobody yet", { exact: false }).waitFor();
  await page.getByRole("switch", { name: "Remember people" }).click();
  await seeGone(page.getByText("Nobody yet", { exact: false }));
  // The letter is open again, and waits for a key.
  await page.goto("/compose");
  await page.getByText(`Not sent before ${to} has a key`).waitFor();
  expect(await key.inputValue()).toBe("");
});

test("a key that was typed before there was a recipient is not the next one's", async () => {
  const person = await site.person();
  await person.createAlias({ forwardTo: "jonas.early@inbox.example" });
  const { page } = await site.visit({ as: person });
  await page.goto("/compose");
  await page.getByRole("switch", { name: "Enable End-to-End Encryption" }).click();
  const key = page.getByLabel("Recipient's Public Key", { exact: true });
  const { publicKey } = await generateKeyPair();
  await key.fill(publicKey);
  const field = page.getByLabel("To", { exact: true });
  await field.fill("ona@outside.example,");
  await field.press("Enter");
  expect(await key.inputValue()).toBe(publicKey);
  await page.getByRole("button", { name: "Remove ona@outside.example" }).click();
  await field.fill("petras@outside.example,");
  await field.press("Enter");
  await page.getByText("Not sent before petras@outside.example has a key").waitFor();
  expect(await key.inputValue()).toBe("");
});
