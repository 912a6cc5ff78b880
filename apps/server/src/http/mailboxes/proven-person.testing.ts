import { expect } from "vitest";
import { sentMessagesTo } from "../test/sent-messages.ts";
import { type TestServer, Visitor } from "../test/test-server.ts";

/** Registers a user and confirms the e-mail by the link in the message sent to it. */
export async function provenPerson(server: TestServer, email: string): Promise<Visitor & { email: string }> {
  const person = Object.assign(await new Visitor(server).register(email), { email });
  await person.call("askEmailConfirmation");
  await expect.poll(async () => (await sentMessagesTo(server, email)).length).toBe(1);
  const [text = ""] = await sentMessagesTo(server, email);
  const token = /confirm-email#([a-z2-7]{32})/.exec(text)?.[1] ?? "";
  expect((await person.call("confirmEmail", { body: { token } })).status).toBe(200);
  return person;
}
