import { expect, it } from "vitest";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { countAttempt, mailboxProvider } from "./count-attempt.ts";

it.each([
  ["ann@gmail.com", "google"],
  ["ann@GMail.com", "google"],
  ["ann@hotmail.co.uk", "microsoft"],
  ["ann@yahoo.de", "yahoo"],
  ["ann@me.com", "apple"],
  ["ann@live.example.org", "other"],
  ["ann@gmail.com.example", "other"],
])("%s is a mailbox of %s", (address, provider) => {
  expect(mailboxProvider(address)).toBe(provider);
});

it("counts a mailbox by provider, and a webhook by its kind only", () => {
  const metrics = createMetrics();
  countAttempt(metrics, { kind: "mailbox", address: "ann@gmail.com" }, "deferred");
  countAttempt(metrics, { kind: "webhook", url: "https://hook.example/" } as never, "taken");
  const page = metrics.render();
  expect(page).toContain('kauke_mailbox_deliveries_total{provider="google",result="deferred"} 1\n');
  expect(page).toContain('kauke_deliveries_total{kind="webhook",result="taken"} 1\n');
  expect(page).toContain("\nkauke_metrics_refused_total 0\n");
  metrics.close();
});
