/** The first steps of an account, and the test message that goes the way of any other mail. */
import type { TestStage } from "@kauke/contract";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { startSystem } from "@kauke/testkit/system";
import { expect, test } from "vitest";

const closers = closeAfterEach();
const forwardTo = "ann@inbox.example";

async function setUp(env: Record<string, string> = {}) {
  const mx = await FakeMx.start();
  closers.push(() => mx.close());
  const system = await startSystem({ env: { KAUKE_RELAY_URL: `smtp://127.0.0.1:${mx.port}`, ...env } });
  closers.push(() => system.close());
  const person = await registerPerson(system.url);
  return { mx, system, person, alias: await person.createAlias({ forwardTo }) };
}

const path = (alias: { id: string }) => `/api/aliases/${alias.id}/test-message`;
const firstSteps = async (person: Person) => (await person.call("GET", "/api/account/first-steps")).body;

async function sendTest(person: Person, alias: { id: string }): Promise<string> {
  const sent = await person.call("POST", path(alias));
  expect(sent.status).toBe(202);
  return (sent.body as { testId: string }).testId;
}

async function stagesOf(person: Person, alias: { id: string }, testId: string): Promise<TestStage[]> {
  return ((await person.call("GET", `${path(alias)}/${testId}`)).body as { stages: TestStage[] }).stages;
}

/** @returns each stage as e.g. `sent done` */
const seen = (stages: readonly TestStage[]) => stages.map(({ name, state }) => `${name} ${state}`);

test("a test message reaches the mailbox through the alias, and each stage is told", async () => {
  const { mx, person, alias } = await setUp();
  expect(await firstSteps(person)).toEqual({ isHidden: false, hasMail: false, isPreview: false });
  const testId = await sendTest(person, alias);
  const stages = async () => seen(await stagesOf(person, alias, testId));
  await expect.poll(stages).toEqual(["sent done", "received done", "delivered done"]);
  await mx.waitForMessages(1);
  const [mail] = mx.messages;
  expect(mail?.rcptTo).toEqual([forwardTo]);
  const text = mail?.bytes.toString("latin1") ?? "";
  expect(text).toMatch(/^Subject: Your alias works\r$/m);
  expect(text).toMatch(new RegExp(`^To: .*${alias.alias}@${alias.domain}`, "m"));
  expect(await firstSteps(person)).toMatchObject({ hasMail: true });
});

test("a stream of changes says that a test message has come to its end, and nothing of it", async () => {
  const { system, person, alias } = await setUp();
  const ended = new AbortController();
  closers.push(async () => ended.abort());
  const { body } = await fetch(`${system.url}/api/events`, {
    headers: { cookie: person.cookie },
    signal: ended.signal,
  });
  await sendTest(person, alias);
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (/^data: .*\btests\b.*\n\n/m.test(text)) break;
  }
  expect(text).not.toContain(alias.alias);
});

test("mail that the mailbox's host does not take yet waits, and mail to a paused alias is dropped, as for any sender", async () => {
  const { mx, person, alias } = await setUp({ KAUKE_ANSWER_SECONDS: "1" });
  await mx.close();
  const testId = await sendTest(person, alias);
  await expect
    .poll(async () => seen(await stagesOf(person, alias, testId)), { timeout: 15_000 })
    .toEqual(["sent done", "received done", "delivered waiting"]);
  await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: false });
  const paused = await sendTest(person, alias);
  await expect
    .poll(async () => (await stagesOf(person, alias, paused)).at(-1))
    .toMatchObject({ name: "delivered", state: "failed", text: expect.stringContaining("paused") });
});

test("a test is its account's alone, and ten an hour are sent", async () => {
  const { person, alias, system } = await setUp({ KAUKE_LIMITS: "register=100/3600" });
  const other = await registerPerson(system.url);
  const testId = await sendTest(person, alias);
  expect((await other.call("POST", path(alias))).status).toBe(404);
  expect((await other.call("GET", `${path(alias)}/${testId}`)).status).toBe(404);
  expect((await person.call("GET", `${path(alias)}/00000000-0000-4000-8000-000000000000`)).status).toBe(404);
  for (let sent = 1; sent < 10; sent++) await sendTest(person, alias);
  expect((await person.call("POST", path(alias))).status).toBe(429);
});

test("the steps stay hidden once they are, in every browser", async () => {
  const { person } = await setUp();
  await person.call("PATCH", "/api/account/settings", { hidesFirstSteps: true });
  expect(await firstSteps(person)).toMatchObject({ isHidden: true, hasMail: true });
});
