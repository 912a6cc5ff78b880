/** AUTH as a client (RFC 4954): PLAIN (RFC 4616), else LOGIN. To be used only where a password may be sent. */
import type { PeerReply } from "../../smtp-reply.ts";

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");

/** Signs in by PLAIN, else LOGIN. @returns the reply that ends the exchange; `null` when the peer offers neither */
export async function logIn(
  ask: (line: string) => Promise<PeerReply>,
  mechanisms: ReadonlySet<string>,
  { user, password }: { user: string; password: string },
): Promise<PeerReply | null> {
  if (mechanisms.has("PLAIN")) return ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`);
  if (!mechanisms.has("LOGIN")) return null;
  const forUser = await ask("AUTH LOGIN");
  if (forUser.code !== 334) return forUser;
  const forPassword = await ask(base64(user));
  return forPassword.code === 334 ? ask(base64(password)) : forPassword;
}
