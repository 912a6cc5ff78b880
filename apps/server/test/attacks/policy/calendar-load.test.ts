/** Calendars that are expensive to parse keep nobody else's mail waiting, and none of them names a stranger. */
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { sendMail } from "@kauke/testkit/send-mail";
import { expect, test } from "vitest";
import { expectUnharmed, startScene, watchBystander } from "../scenes/bystander.testing.ts";
import { header, home, part } from "./invitations.testing.ts";

test("calendars of the largest message, of 100,000 attendees and of nothing but folded lines keep nobody else waiting", {
  timeout: 240_000,
}, async () => {
  await using scene = await startScene({ env: { KAUKE_LIMITS: "off" } });
  const { alias } = await scene.owner.createAlias({ forwardTo: home });
  const to = `${alias}@kauke.test`;
  const sizeBytes = rounds(4, 24) * 1024 * 1024;
  const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
  const contents = [
    filled("ATTENDEE:mailto:a@planner.example\r\n", sizeBytes),
    Array.from({ length: 100_000 }, (_, index) => `ATTENDEE:mailto:p${index}@planner.example\r\n`).join(""),
    filled("ATTENDEE:mailto:a@planner.example\r\n", 1_000_000),
    filled("ATTEN\r\n DEE;X=", 1_000_000),
    filled("\r\n ", 1_000_000),
    filled("\r\n", 1_000_000),
  ];
  const messages = contents.map((content) =>
    Buffer.from(header(to) + part("text/calendar", "7bit", `BEGIN:VCALENDAR\r\n${content}\r\nEND:VCALENDAR\r\n`)),
  );
  let checked = 0;
  /**
   * Checks that no calendar that reached the owner's mailbox names a stranger as attendee, unless it was forwarded as
   * an attached file. Discards the checked messages.
   */
  const check = () => {
    for (const mail of scene.relay.messages.filter(({ rcptTo }) => rcptTo.includes(home))) {
      const isAttached = mail.bytes.includes('filename="invitation.eml"');
      expect(isAttached || !/^ATTENDEE[^\r\n]*planner/m.test(mail.bytes.toString("latin1"))).toBe(true);
      scene.relay.messages.splice(scene.relay.messages.indexOf(mail), 1);
      checked += 1;
    }
  };
  const attack = async () => {
    for (let round = 0; round < rounds(1, 10); round += 1) {
      for (const message of messages) {
        const { last } = await sendMail({ port: scene.server.mxPort, from: "ann@planner.example", to, message });
        expect(last).toMatch(/^250 /);
        check();
      }
    }
  };
  const seen = await watchBystander(scene, attack());
  const { healthyMs, answeredMs, deliveredMs, peakMib } = seen;
  printFigures("calendars", { healthyMs, answeredMs, deliveredMs, peakMib });
  expectUnharmed(seen);
  check();
  expect(checked).toBe(rounds(1, 10) * contents.length);
});
