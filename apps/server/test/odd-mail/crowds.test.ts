/** Messages to whole clubs: everybody in To can be answered, up to 1,000 people; beyond, the copy says how many can't. */

import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { fieldOf } from "@kauke/testkit/forwarded-header";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { sendMail } from "@kauke/testkit/send-mail";
import { beforeEach, expect, test } from "vitest";

const spf = { txt: ["v=spf1 ip4:127.0.0.1 -all"] };
const dns = createFakeDns({ "inbox.example": spf, "planner.example": spf });
const { mx, system, person } = await setUpForwarding({ dns });

beforeEach(() => mx.reset());

const addresses = (field: string) => field.match(/[^\s<>,]+@[^\s<>,]+/g) ?? [];
const members = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => `${name} <member${n}@club.example>`).join(",\r\n ");

async function copyOf(count: number, name = "Member") {
  const { alias } = await person.createAlias({ forwardTo: "me@inbox.example" });
  const from = "chair@planner.example";
  const message = `From: Chair <${from}>\r\nTo: ${alias}@kauke.test,\r\n ${members(count, name)}\r\nSubject: all\r\n\r\nx\r\n`;
  expect((await sendMail({ port: system.mxPort, from, to: `${alias}@kauke.test`, message })).last).toMatch(/^250 /);
  const [copy] = await mx.waitForMessages(1);
  mx.reset();
  return { alias, copy: copy?.bytes };
}

test.each([
  [5, "Member"],
  [140, "Member"],
  [1000, "Member"],
  [1000, "Friederike Sofie Obermeier-Lindenthal"],
  [1000, "=?utf-8?Q?J=C3=BCrgen_M=C3=BCller?="],
])("%i people in To get reply addresses, and an answer to all reaches each: %s", async (count, name) => {
  const { alias, copy } = await copyOf(count, name);
  expect(fieldOf(copy, "To").includes("member")).toBe(name === "Member");
  const named = addresses(fieldOf(copy, "To"));
  expect(named).toHaveLength(count + 1);
  expect(named).toContain(`${alias}@kauke.test`);
  expect(fieldOf(copy, "To")).not.toContain("more without");
  // Each is resolved alike; an account may write to 500 people a day, a transaction has up to 100.
  const asked = named.filter((it) => !it.startsWith(alias)).slice(0, 100);
  const from = "me@inbox.example";
  const message = `From: ${from}\r\nTo: ${fieldOf(copy, "To").replaceAll(", ", ",\r\n ")}\r\nSubject: Re: all\r\n\r\ny\r\n`;
  expect((await sendMail({ port: system.mxPort, from, to: asked, message })).last).toMatch(/^250 /);
  const answers = await mx.waitForMessages(asked.length);
  expect(new Set(answers.flatMap(({ rcptTo }) => rcptTo))).toEqual(
    new Set(Array.from({ length: asked.length }, (_, n) => `member${n}@club.example`)),
  );
  expect(addresses(fieldOf(answers[0]?.bytes, "To"))).toHaveLength(count);
});

test("of 1,500 people the copy names those that can be answered, and says how many are missing", async () => {
  const { copy } = await copyOf(1500);
  const to = fieldOf(copy, "To");
  const answerable = addresses(to).length - 1;
  expect(answerable).toBeGreaterThanOrEqual(1000);
  expect(to).toMatch(new RegExp(`, ${1500 - answerable} more without a reply address:;$`));
});
