import type { ForwardToEntry } from "@kauke/contract";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextRouting, type RoutingInput } from "./alias-rules.ts";

const ann: ForwardToEntry[] = [{ kind: "mailbox", address: "ann@example.org" }];
const bob: ForwardToEntry[] = [{ kind: "mailbox", address: "bob@example.org" }];
const active = { state: "active", destinations: ann } as const;
const paused = { state: "paused", lastDestinations: ann } as const;

describe("routing of an alias after a change request", () => {
  const cases: [string, Parameters<typeof nextRouting>, ReturnType<typeof nextRouting>][] = [
    ["pausing keeps the destinations", [active, { active: false }], paused],
    ["activating restores the destinations", [paused, { active: true }], active],
    [
      "new destinations of a paused alias apply once it is activated",
      [paused, { destinations: bob }],
      { state: "paused", lastDestinations: bob },
    ],
    [
      "new destinations and activation in one request",
      [paused, { active: true, destinations: bob }],
      { state: "active", destinations: bob },
    ],
    [
      "lastForwardTo replaces the destinations of a paused alias",
      [paused, { lastDestinations: bob }],
      { state: "paused", lastDestinations: bob },
    ],
    ["lastForwardTo does not change an active alias", [active, { lastDestinations: bob }], active],
    [
      "lastForwardTo in the request that pauses replaces the destinations",
      [active, { active: false, lastDestinations: bob }],
      { state: "paused", lastDestinations: bob },
    ],
    ["forwardTo takes precedence over lastForwardTo", [paused, { destinations: ann, lastDestinations: bob }], paused],
  ];
  it.each(cases)("%s", (_, [routing, input], after) => {
    expect(nextRouting({ ...routing } as typeof active, input)).toEqual(after);
  });

  it("applying the same request twice changes nothing more", () => {
    const destinations = fc.option(fc.constantFrom(ann, bob), { nil: undefined });
    const inputs: fc.Arbitrary<RoutingInput> = fc.record({
      active: fc.option(fc.boolean(), { nil: undefined }),
      destinations,
      lastDestinations: destinations,
    });
    fc.assert(
      fc.property(fc.constantFrom(active, paused), inputs, (routing, input) => {
        const once = nextRouting({ ...routing } as typeof active, input);
        expect(nextRouting(once, input)).toEqual(once);
      }),
    );
  });
});
