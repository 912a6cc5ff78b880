/** The first steps of an account, and the test message that shows one of them: it goes the way of any other mail. */
import type { FirstSteps, TestStage } from "@kauke/contract";
import { makeMessageId } from "@kauke/mail-rfc";
import { bounds } from "../limits/table.ts";
import { BoundedMap } from "../runtime/maps.ts";
import { AppError, notFound } from "./app-error.ts";
import type { CoreDeps } from "./core-deps.ts";
import type { SendTestMail, TestMail } from "./first-steps.ts";
import { ownMessage } from "./own-mail.ts";
import { takeLimit } from "./take-limit.ts";

export async function readFirstSteps(
  { users, firstSteps, isPreview = false }: Pick<CoreDeps, "users" | "firstSteps" | "isPreview">,
  userId: string,
): Promise<FirstSteps> {
  const settings = await users.settings(userId);
  if (settings === null) throw new AppError("not_signed_in");
  const isHidden = settings.hidesFirstSteps;
  return { isHidden, hasMail: isHidden || (await firstSteps.hasMail(userId)), isPreview };
}

type Name = TestStage["name"];
type State = TestStage["state"];

interface TestMessage {
  aliasId: string;
  userId: string;
  messageId: string | null;
  stages: TestStage[];
}

interface OwnTest {
  userId: string;
  aliasId: string;
}

type SendDeps = Pick<
  CoreDeps,
  "aliases" | "clock" | "random" | "rateLimits" | "limitRules" | "ownMail" | "testMail" | "forwarding" | "liveChanges"
>;

/** Test messages and how far they came, in memory. */
export class TestMessages {
  readonly #byId = new BoundedMap<string, TestMessage>(bounds.testMessages.all);

  /** @returns the test's id, before the message has gone anywhere @throws AppError `not_found`, `rate_limited`, `unavailable` */
  async send(deps: SendDeps, { userId, aliasId }: OwnTest): Promise<string> {
    const { testMail = null, forwarding, liveChanges, random, clock } = deps;
    const route = await deps.aliases.findRouteById(aliasId);
    if (route === null || route.userId !== userId) throw notFound("Alias not found");
    if (forwarding.about !== null)
      throw new AppError("unavailable", {
        message: `${forwarding.about.name} takes the mail of your aliases, so this server can't follow a test. Write to the alias from another mailbox.`,
      });
    if (testMail === null)
      throw new AppError("unavailable", {
        message: "This server takes mail in another process, so it can't follow a test.",
      });
    await takeLimit(deps, "test_message", { userId });
    const testId = random.uuid();
    const test: TestMessage = { userId, aliasId, messageId: null, stages: [] };
    this.#byId.set(testId, test);
    const note = (name: Name, state: State, text?: string) => {
      const stage: TestStage = { name, state, at: clock.now().toISOString(), ...(text !== undefined && { text }) };
      test.stages = [...test.stages.filter((one) => one.name !== name), stage];
    };
    note("sent", "running");
    void run(test, note, { send: testMail, mail: writeTest(deps, route.address) })
      .then(() => liveChanges.tell({ userId, kind: "tests" }))
      // Pages ask by themselves as well.
      .catch(() => {});
    return testId;
  }

  /** @throws AppError `not_found` for one that is unknown or of another account */
  async read({ firstSteps }: Pick<CoreDeps, "firstSteps">, { testId, ...own }: OwnTest & { testId: string }) {
    const test = this.#byId.get(testId);
    if (test === undefined || test.userId !== own.userId || test.aliasId !== own.aliasId)
      throw notFound("This test is over, or another process sent it.");
    const { stages, messageId } = test;
    const isQueued = messageId !== null && (await firstSteps.isQueued(messageId));
    return stages.map((stage) => (isQueued && stage.name === "delivered" ? waiting(stage) : stage));
  }
}

const waiting = (stage: TestStage): TestStage => ({
  ...stage,
  state: "waiting",
  text: "It waits in the queue for another attempt. A notice says so if it can't be delivered.",
});

async function run(
  test: TestMessage,
  note: (name: Name, state: State, text?: string) => void,
  { send, mail }: { send: SendTestMail; mail: TestMail },
): Promise<void> {
  note("sent", "done");
  note("received", "running");
  try {
    const result = await send(mail);
    if (result.kind === "refused") return note("received", "failed", `Our server refused it: ${result.text}.`);
    note("received", "done");
    if (result.kind === "paused")
      return note("delivered", "failed", "The alias is paused, so its mail is silently dropped.");
    test.messageId = result.messageId;
    note("delivered", "done");
  } catch {
    note("received", "failed", "Our server could not take it. Please try again later.");
  }
}

function writeTest({ clock, random, ownMail }: SendDeps, to: string): TestMail {
  const from = `no-reply@${ownMail.domain}`;
  const head = {
    from,
    mailbox: to,
    messageId: makeMessageId(random.bytes(16), ownMail.domain),
    boundary: `=_${random.uuid()}`,
    at: clock.now(),
  };
  const raw = ownMessage(head, {
    subject: "Your alias works",
    blocks: [
      "This is the test that you asked for. It came to your alias and was forwarded here, like any message that a site or a person sends to it.",
      "The address it was sent to is in its To field. Whoever has that address does not see the mailbox that you read this in.",
      "This message was sent by a program; replies to it are not read.",
    ],
  });
  return { from, to, raw };
}
