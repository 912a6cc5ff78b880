import { expect, test } from "vitest";
import { anAlias, mailboxDestination } from "../../store/rows.testing.ts";
import type { Alias, AliasRoute, Destination } from "../alias/alias.ts";
import { wantedRecord } from "./wanted-record.ts";

const ann = mailboxDestination("ann@mailbox.example");
const bob = mailboxDestination("bob@mailbox.example");
const hook: Destination = { kind: "webhook", url: "https://hooks.example/in" };
const all = [ann, bob, hook];
const allTexts = ["ann@mailbox.example", "bob@mailbox.example", "https://hooks.example/in"];

const active = (...destinations: Destination[]): Partial<Alias> => ({ routing: { state: "active", destinations } });
const paused: Partial<Alias> = { routing: { state: "paused", lastDestinations: all } };
const unconfirmed = (...addresses: string[]) => ({
  unconfirmed: new Map(addresses.map((one) => [one, "asked"] as const)),
});
const off = (codeIfDisabled: number, held: string | null, recipients = allTexts) => ({
  isEnabled: false,
  codeIfDisabled,
  held,
  recipients,
});
const on = (...recipients: string[]) => ({ isEnabled: true, held: null, recipients });

interface Row {
  what: string;
  alias?: Partial<Alias>;
  route?: Partial<AliasRoute>;
  isConfirmationNeeded?: boolean;
  expected: object;
}

test.each<Row>([
  { what: "an active alias forwards to all", expected: on(...allTexts) },
  { what: "a paused alias drops mail", alias: paused, expected: off(250, null) },
  { what: "one that is paused between two reads drops mail", route: { paused: true }, expected: off(250, null) },
  {
    what: "an encrypted alias has senders wait",
    route: { ageRecipient: "age1key" },
    expected: off(421, "encrypted"),
  },
  {
    what: "a paused one that is encrypted drops mail",
    alias: paused,
    route: { ageRecipient: "age1key" },
    expected: off(250, null),
  },
  {
    what: "mailboxes that are not confirmed are left out",
    route: unconfirmed("ann@mailbox.example"),
    expected: on("bob@mailbox.example", "https://hooks.example/in"),
  },
  {
    what: "without a confirmed destination senders wait",
    alias: active(ann, bob),
    route: { destinations: [ann, bob], ...unconfirmed("ann@mailbox.example", "bob@mailbox.example") },
    expected: off(421, "unconfirmed", ["ann@mailbox.example", "bob@mailbox.example"]),
  },
  {
    what: "confirmation does not matter where it is not asked for",
    route: unconfirmed("ann@mailbox.example"),
    isConfirmationNeeded: false,
    expected: on(...allTexts),
  },
  {
    what: "destinations that may get no mail are left out",
    route: { destinations: [bob] },
    expected: on("bob@mailbox.example"),
  },
  {
    what: "without an allowed destination mail is refused",
    route: { destinations: [] },
    expected: off(550, "no_destination"),
  },
])("$what", ({ alias: change, route: routeChange, isConfirmationNeeded = true, expected }) => {
  const alias = anAlias("user", { name: "Shop", domain: "kauke.test", ...active(...all), ...change });
  const route = { aliasId: alias.id, destinations: all, paused: false, ageRecipient: null, ...routeChange };
  const wanted = wantedRecord({ alias, route: route as AliasRoute, password: "secret", isConfirmationNeeded });
  expect(wanted).toMatchObject({ name: "shop", domain: "kauke.test", password: "secret", ...expected });
});
