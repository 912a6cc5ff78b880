/**
 * `node e2e/engines/pictures.ts firefox|webkit [name]`: takes pictures of the main screens in that engine at 390 and
 * 1440 pixels in both themes, with its scrollbars, for people to look at, in e2e/.out/engines. The server serves the
 * web app as it was last built.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { registerPerson } from "@kauke/testkit/person";
import { personas } from "@kauke/testkit/personas";
import { removeDataDirs, type ServerProcess, startServerProcess } from "@kauke/testkit/server-process";
import { heights, widths } from "../browser/browser.ts";
import { storeKey } from "../keys/encrypted-texts.ts";
import { subjectOf } from "../mail/message.ts";
import { createScreenData } from "../screens/open-screen.ts";
import type { EngineProgram } from "./driver.ts";
import { firefox } from "./firefox.ts";
import { signInOnTab } from "./steps.ts";
import { openTab, type Tab } from "./tab.ts";
import { webkit } from "./webkit.ts";

interface Screen {
  name: string;
  as?: { email: string; password: string };
  open(tab: Tab, server: ServerProcess): Promise<void>;
}

const folder = join(import.meta.dirname, "../.out/engines");
const keyOwner = { email: "rasa.keys@people.example", password: "correct horse battery" };
const { some } = personas;

const at = (path: string, name: string, as?: Screen["as"]): Screen => ({
  name,
  ...(as && { as }),
  async open(tab) {
    await tab.open(path);
    await tab.see({ role: "heading" });
  },
});

async function openMessage(tab: Tab, server: ServerProcess, part: string): Promise<void> {
  await tab.open(`/preview?token=${await server.previewToken()}`);
  await tab.click({ role: "button", name: new RegExp(subjectOf(12)), within: { role: "listitem" } });
  await tab.click({ role: "tab", name: part });
  await tab.see({ role: "tabpanel" });
}

const screens: readonly Screen[] = [
  at("/", "landing"),
  at("/auth", "auth"),
  at("/register", "register"),
  at("/about", "about"),
  at("/nowhere", "not-found"),
  at("/dashboard", "dashboard", some),
  {
    name: "alias-panel",
    as: some,
    async open(tab) {
      await tab.click({ role: "button", name: /^SMTP settings of ci.alerts/ });
      await tab.see({ role: "region", name: /^SMTP settings of ci.alerts/ });
    },
  },
  {
    name: "delete-dialog",
    as: some,
    async open(tab) {
      await tab.click({ role: "button", name: /^Delete bank\.lt/ });
      await tab.see({ role: "dialog" });
    },
  },
  at("/compose", "compose", some),
  at("/decrypt", "decrypt", keyOwner),
  at("/settings", "settings", keyOwner),
  {
    name: "key-dialog",
    as: keyOwner,
    async open(tab) {
      await tab.open("/settings");
      await tab.click({ role: "button", name: "Create Key", within: { role: "main" } });
      await tab.see({ role: "dialog", name: "Create key" });
    },
  },
  { name: "message-text", open: (tab, server) => openMessage(tab, server, "Text") },
  { name: "message-html", open: (tab, server) => openMessage(tab, server, "HTML") },
];

async function takePictures(program: EngineProgram, server: ServerProcess, wanted: RegExp): Promise<void> {
  const engine = await program.start();
  for (const { name, as, open } of screens.filter((screen) => wanted.test(screen.name))) {
    for (const width of [widths.desktop, widths.phone]) {
      const driver = await engine.openDriver({ width, height: heights[width] ?? 800 });
      const tab = openTab(driver, server.url);
      if (as !== undefined) await signInOnTab(tab, as);
      await open(tab, server);
      for (const theme of ["light", "dark"]) {
        await driver.evaluate(`document.documentElement.dataset.theme = "${theme}"`);
        await new Promise((resolve) => setTimeout(resolve, 700));
        await writeFile(join(folder, `${program.name}-${name}-${width}-${theme}.png`), await driver.picture());
      }
      await driver.close();
    }
    console.log(name);
  }
  await engine.close();
}

const [asked = "", wanted = ""] = process.argv.slice(2);
const program = [firefox, webkit].find(({ name }) => name.toLowerCase().startsWith(asked) && asked !== "");
if (program === undefined || program.missing !== null) {
  console.error(program?.missing ?? "Usage: node e2e/engines/pictures.ts firefox|webkit [name]");
  process.exit(1);
}
await mkdir(folder, { recursive: true });
const server = await startServerProcess({ env: { KAUKE_LIMITS: "off" }, readyTimeoutMs: 120_000 });
try {
  await createScreenData(server);
  await storeKey(await registerPerson(server.url, keyOwner.email), "Laptop");
  await takePictures(program, server, new RegExp(wanted));
} finally {
  await server.stop();
  await removeDataDirs();
}
