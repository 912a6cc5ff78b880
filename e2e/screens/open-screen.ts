/** The accounts and mail that the screens show, and how a screen is opened and brought to rest. */
import type { AliasWire, UserWire } from "@kauke/contract";
import { personas } from "@kauke/testkit/personas";
import { sendMail } from "@kauke/testkit/send-mail";
import { signInByCookie, type Visit } from "../browser/browser.ts";
import { seeLaidOut } from "../browser/see.ts";
import { attachment, multipartMessage } from "../mail/message.ts";
import type { Screen } from "./screen.ts";

/** Creates what the screens show: the personas, and one message in the preview inbox. */
export async function createScreenData(server: { url: string; mxPort: number }): Promise<void> {
  for (const persona of Object.values(personas)) await persona.create(server.url);
  await makeCredentials(server.url);
  const to = `${personas.some.aliases[0]?.alias}@${personas.some.aliases[0]?.domain}`;
  const sent = await sendMail({ port: server.mxPort, from: "parcels@shop.example", to, message: multipartMessage(12) });
  if (!sent.last.startsWith("250"))
    throw new Error(`the message with ${attachment.filename} was answered ${sent.last}`);
}

/** Lets the third alias of `some` send: the one with a webhook, so that its panel shows everything. */
async function makeCredentials(url: string): Promise<void> {
  const { email, password, aliases } = personas.some;
  const call = (path: string, cookie: string, body?: unknown) =>
    fetch(`${url}${path}`, {
      headers: { cookie, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
  const signedIn = await call("/api/auth/login", "", { email, password });
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)[0] as string;
  const { user } = (await signedIn.json()) as { user: UserWire };
  const list = (await (await call(`/api/aliases/${user.id}`, cookie)).json()) as { aliases: AliasWire[] };
  const aliasId = list.aliases.find(({ alias }) => alias === aliases[2]?.alias)?.id;
  const made = await call("/api/smtp-credentials", cookie, { aliasId });
  if (made.status !== 201) throw new Error(`making SMTP credentials answered ${made.status}`);
}

/** Session cookies by origin and persona, kept because checking a password takes the server a tenth of a second. */
const sessionCookies = new Map<string, string>();

async function sessionCookieOf({ context, origin }: Visit, as: keyof typeof personas): Promise<string> {
  const key = `${origin} ${as}`;
  const known = sessionCookies.get(key);
  if (known !== undefined) return known;
  const { email, password } = personas[as];
  const answer = await context.request.post("/api/auth/login", { data: { email, password } });
  if (answer.status() !== 200) throw new Error(`signing in answered ${answer.status()}`);
  const cookie = (answer.headers()["set-cookie"] ?? "").split(";", 1)[0] as string;
  sessionCookies.set(key, cookie);
  return cookie;
}

/** Opens the screen as its persona; nobody is signed in to `visit` yet. */
export async function openScreen(visit: Visit, { as, open }: Screen): Promise<void> {
  if (as !== undefined)
    await signInByCookie(visit.context, { cookie: await sessionCookieOf(visit, as), origin: visit.origin });
  await open(visit);
  await rest(visit);
}

/** Finishes every animation and stops endless ones, so that pictures and contrasts do not depend on the moment. */
export async function rest({ page }: Visit): Promise<void> {
  await seeLaidOut(page);
  await page.evaluate(`document.fonts.ready.then(() => {
    for (const animation of document.getAnimations()) {
      if (animation.effect.getComputedTiming().endTime === Infinity) animation.pause();
      else animation.finish();
    }
  })`);
}
