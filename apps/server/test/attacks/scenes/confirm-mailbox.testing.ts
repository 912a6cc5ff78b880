import { expect } from "vitest";
import { bystanderMailbox, type Scene } from "./bystander.testing.ts";

/** Confirms the bystander's mailbox as its owner does, so that the caps of unconfirmed mailboxes do not apply. */
export async function confirmMailboxOfScene(scene: Scene): Promise<void> {
  const { server, relay, owner } = scene;
  await owner.call("POST", "/api/confirmation/message", { address: bystanderMailbox });
  let token: string | undefined;
  while (token === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const texts = relay.messages.map((it) => it.bytes.toString("latin1").replaceAll("=\r\n", ""));
    token = texts.map((it) => /\/confirm\/([a-z2-7]{32})/.exec(it)?.[1]).find((it) => it !== undefined);
  }
  const body = JSON.stringify({ token, choice: "mine" });
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
  const said = await fetch(`${server.url}/api/confirmation`, { method: "POST", headers, body });
  expect(await said.json()).toMatchObject({ state: "confirmed" });
}
