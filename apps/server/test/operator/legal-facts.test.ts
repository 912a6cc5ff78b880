/**
 * The periods that the public pages state are the program's defaults. The jobs' own periods are tested in
 * store/retention.
 */
import { mailDays, retentionDays, sessionTimes } from "@kauke/contract";
import { defaultRetrySchedule } from "@kauke/mail-rfc";
import { expect, it } from "vitest";
import { LINK_DAYS } from "../../src/core/destination/confirmation.ts";

const DAY_SECONDS = 86_400;

it("mail that can't be delivered fails after as many days as the pages say", () => {
  const seconds = defaultRetrySchedule.reduce((sum, wait) => sum + wait, 0);
  expect(seconds / DAY_SECONDS).toBe(mailDays.undelivered);
});

it("a confirmation link is valid for as many days as the pages say", () => {
  expect(LINK_DAYS).toBe(mailDays.confirmationLink);
});

it("periods are whole days, hours and minutes, as the pages write them", () => {
  for (const days of Object.values({ ...retentionDays, ...mailDays })) expect(Number.isInteger(days)).toBe(true);
  expect(Number.isInteger(sessionTimes.idleSeconds / 60)).toBe(true);
  expect(Number.isInteger(sessionTimes.absoluteSeconds / 3600)).toBe(true);
});
