/** Confirms a mailbox as its owner does: asks for the message, follows its link. */
import type { FakeMx } from "./fakes/fake-mx.ts";
import type { Person } from "./person.ts";

/** The link's token in a request for confirmation, wherever its body wraps lines. */
export function confirmationToken(message: Buffer): string | undefined {
  return /\/confirm\/([a-z2-7]{32})/.exec(message.toString("latin1").replaceAll("=\r\n", ""))?.[1];
}

/**
 * Makes an alias that forwards to the mailbox, and confirms it.
 * @throws Error if the server refuses
 */
export async function confirmMailbox({ mx, person }: { mx: FakeMx; person: Person }, address: string): Promise<void> {
  mx.reset();
  await person.createAlias({ forwardTo: address });
  await person.call("POST", "/api/confirmation/message", { address });
  const [request] = await mx.waitForMessages(1);
  const token = confirmationToken(request?.bytes ?? Buffer.alloc(0));
  const { status } = await person.call("POST", "/api/confirmation", { token, choice: "mine" });
  if (status !== 200) throw new Error(`the mailbox is not confirmed: ${status}`);
  mx.reset();
}
