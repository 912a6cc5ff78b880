import { expect, it } from "vitest";
import { anAlias, aUser } from "../../../store/rows.testing.ts";
import { aliasToSimpleLogin, settingToWire, userInfoToWire } from "./wire.ts";

it("times are given as UTC text to the second, and as whole seconds since 1970", () => {
  const alias = anAlias("7b5a4c7e-0000-4000-8000-000000000001", { createdAt: new Date("2026-11-21T09:00:59.999Z") });
  expect(aliasToSimpleLogin({ alias, number: 7, mailboxes: [] })).toMatchObject({
    id: 7,
    creation_date: "2026-11-21 09:00:59+00:00",
    creation_timestamp: 1_795_251_659,
    mailbox: null,
  });
});

it("an account without an e-mail is shown with its mailbox's address, and without a mailbox with none", () => {
  const user = aUser({ email: null, firstName: "Ann", lastName: null });
  const shown = (mailbox: string | null) => userInfoToWire(user, { aliasesMax: 5, mailbox });
  expect(shown("ann@example.org")).toMatchObject({ name: "Ann", email: "ann@example.org", max_alias_free_plan: 5 });
  expect(shown(null).email).toBe("");
});

it("the format of generated names is shown as SimpleLogin's nearest format", () => {
  const defaults = { domain: "kauke.test", siteInName: false, mailbox: null };
  expect(settingToWire({ ...defaults, format: "uuid" }).alias_generator).toBe("uuid");
  expect(settingToWire({ ...defaults, format: "characters" }).alias_generator).toBe("word");
});
