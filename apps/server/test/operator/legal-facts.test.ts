/** What the public pages say about times is what the program does as it comes. The jobs' own times are in store/retention. */
import { mailDays, retentionDays, sessionTimes } from "@kauke/contract";
import { defaultRetrySchedule } from "@kauke/mail-rfc";
import { expect, it } from "vitest";
import { linkDays } from "../../src/core/destination/confirmation-rules.ts";

const DAY_SECONDS = 86_400;

it("mail that can't be delivered is given up after as many days as the pages name", () => {
  const seconds = defaultRetrySchedule.reduce((sum, wait) => sum + wait, 0);
  expect(seconds / DAY_SECONDS).toBe(mailDays.undelivered);
});

it("a confirmation link works for as many days as the pages name", () => {
  expect(linkDays).toBe(mailDays.confirmationLink);
});

it("times are whole days, hours and minutes, as the pages write them", () => {
  for (const days of Object.values({ ...retentionDays, ...mailDays })) expect(Number.isInteger(days)).toBe(true);
  expect(Number.isInteger(sessionTimes.idleSeconds / 60)).toBe(true);
  expect(Number.isInteger(sessionTimes.absoluteSeconds / 3600)).toBe(true);
});
