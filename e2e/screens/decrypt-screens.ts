/**
 * The states of /decrypt, for the accessibility journeys and pictures. What is decrypted in them is made for the
 * purpose.
 */
import { generateKeyPair } from "@kauke/age";
import type { EncryptionKeyWire } from "@kauke/contract";
import type { Visit } from "../browser/browser.ts";
import { toasts } from "../browser/see.ts";
import { encryptedText, encryptFile, masterPassword } from "../keys/encrypted-texts.ts";
import { readyKey } from "../keys/ready-key.ts";
import { hostileHtml, multipartMessage } from "../mail/message.ts";
import { onlyLong } from "./make-screen.ts";
import type { Screen } from "./screen.ts";

const keys: readonly EncryptionKeyWire[] = ["Personal", "Work"].map((keyName, index) => ({
  id: `00000000-0000-4000-8000-00000000001${index}`,
  keyName,
  publicKey: "age1m5aahn0t09nl4ujy8624fl6zy54klay937yrnujckpak28lrdjg0eel92u",
  createdAt: ["2025-02-12T10:00:00.000Z", "2025-06-03T10:00:00.000Z"][index] as string,
  isDefault: index === 0,
}));

/** A screen of /decrypt for a person with two stored keys. */
const decrypting = (name: string, open: Screen["open"], goOn?: Screen["goOn"]): Screen => ({
  name: `decrypt-${name}`,
  as: "some",
  async open(visit) {
    await visit.context.route("**/api/encryption-keys", (route) => route.fulfill({ json: { keys } }));
    await visit.page.goto("/decrypt");
    await visit.page.getByLabel("Decryption Key").and(visit.page.locator(":enabled")).waitFor();
    await open(visit);
  },
  ...(goOn === undefined ? {} : { goOn }),
});

const secretText = `Hi Jonas,

the dates hold. I changed point 4 so that either of us can end it with a month's notice, and kept the rest.

The keys are under the third flowerpot, as always.

Rasa`;

/** Decrypts content made for a new key, by Manual Decrypt. @param quoted text of an older message that is quoted */
async function decryptManually({ page }: Visit, content: string | Buffer, quoted?: string): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair();
  await page.getByRole("tab", { name: "Manual Decrypt" }).click();
  const form = page.getByRole("form", { name: "Manual Decrypt" });
  await form.getByLabel("Private Key").fill(privateKey);
  if (typeof content === "string") {
    const older = quoted === undefined ? "" : (await encryptedText(quoted, publicKey)).replace(/^/gm, "> ");
    await form.getByLabel("Encrypted Text").fill(`${await encryptedText(content, publicKey)}${older}`);
  } else
    await form.getByLabel("Encrypted file").setInputFiles(await encryptFile("message.eml.age", content, publicKey));
  await form.getByRole("button", { name: "Decrypt Message" }).click();
  await page.getByText("Successfully decrypted").waitFor();
}

/** Closes the toast, so that the picture shows the page without it. */
async function dismissToast({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "Dismiss", exact: true }).click();
  await toasts(page).waitFor({ state: "detached" });
}

async function clearResults({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "Clear Results" }).click();
  await page.getByText("Successfully decrypted").waitFor({ state: "detached" });
}

async function showText(visit: Visit): Promise<void> {
  await decryptManually(visit, secretText);
  await dismissToast(visit);
}

/** A screen that shows decrypted content; what the screen listed before it decrypted is cleared first. */
function decrypted(name: string, open: Screen["open"]): Screen {
  const show = async (visit: Visit) => {
    await open(visit);
    await dismissToast(visit);
  };
  return decrypting(name, show, async (visit) => {
    await clearResults(visit);
    await show(visit);
  });
}

async function chooseFile({ page }: Visit): Promise<void> {
  const { publicKey } = await generateKeyPair();
  const file = await encryptFile("message.eml.age", multipartMessage(12), publicKey);
  const form = page.getByRole("form", { name: "Auto Decrypt" });
  await form.getByLabel("Encrypted file").setInputFiles(file);
  await form.getByText("message.eml.age").first().waitFor();
}

/** Two files opened with a key that stays unlocked, and one that is for another key. */
async function decryptFiles({ page, context }: Visit): Promise<void> {
  const { encryptedPrivateKey, publicKey } = readyKey;
  await context.route("**/protected", (route) => route.fulfill({ json: { encryptedPrivateKey } }));
  const form = page.getByRole("form", { name: "Auto Decrypt" });
  const other = await generateKeyPair();
  await form
    .getByLabel("Encrypted file")
    .setInputFiles([
      await encryptFile("contract.txt.age", Buffer.from(secretText), publicKey),
      await encryptFile("message.eml.age", multipartMessage(12), publicKey),
      await encryptFile("for somebody else.age", Buffer.from("Labas"), other.publicKey),
    ]);
  await form.getByLabel("Master Password").fill(masterPassword);
  await form.getByLabel("Keep the key unlocked for 10 minutes").check();
  await form.getByRole("button", { name: "Decrypt Message" }).click();
  await page.getByText("Successfully decrypted").waitFor();
}

export const decryptScreens: readonly Screen[] = [
  onlyLong({
    name: "decrypt-no-keys",
    as: "some",
    async open({ page }) {
      await page.goto("/decrypt");
      await page.getByRole("heading", { name: "No Encryption Keys Available" }).waitFor();
    },
  }),
  decrypting("auto", async ({ page }) => {
    const { publicKey } = await generateKeyPair();
    const form = page.getByRole("form", { name: "Auto Decrypt" });
    await form.getByLabel("Master Password").fill("seven slow herons");
    await form.getByLabel("Encrypted Text").fill(await encryptedText(secretText, publicKey));
  }),
  decrypting("file-chosen", chooseFile, chooseFile),
  onlyLong(
    decrypting("pending", async ({ page, context }) => {
      await context.route("**/protected", () => {});
      const form = page.getByRole("form", { name: "Auto Decrypt" });
      await form.getByLabel("Master Password").fill("seven slow herons");
      await form.getByLabel("Encrypted Text").fill("-----BEGIN AGE ENCRYPTED FILE-----");
      await form.getByRole("button", { name: "Decrypt Message" }).click();
      await page.getByRole("button", { name: "Decrypting..." }).waitFor();
    }),
  ),
  decrypting("files", async (visit) => {
    await decryptFiles(visit);
    await dismissToast(visit);
  }),
  decrypting("unlocked", async (visit) => {
    await decryptFiles(visit);
    await dismissToast(visit);
    await visit.page.getByRole("button", { name: "Another message" }).click();
    await visit.page.getByText("Personal is unlocked").waitFor();
  }),
  decrypting("refused", async ({ page }) => {
    await page.getByRole("tab", { name: "Manual Decrypt" }).click();
    const form = page.getByRole("form", { name: "Manual Decrypt" });
    await form.getByRole("button", { name: "Decrypt Message" }).click();
    await form.getByRole("alert").last().waitFor();
  }),
  decrypting("text", showText, showText),
  decrypted("several", (visit) => decryptManually(visit, secretText, "Do the dates hold?")),
  decrypted("mail-html", async (visit) => {
    await decryptManually(visit, multipartMessage(12, hostileHtml));
    await visit.page.getByRole("tab", { name: "HTML" }).click();
    await visit.page.getByRole("tabpanel", { name: "HTML" }).waitFor();
  }),
  onlyLong(decrypted("mail", (visit) => decryptManually(visit, multipartMessage(12)))),
];
