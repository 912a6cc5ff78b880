import { expect, test } from "vitest";
import { ForwardingTimeline } from "./forwarding-timeline.ts";

const address = "shop@kauke.test";
const forwards = (...recipients: string[]) => new Map([[address, recipients]]);
const none = new Map<string, string[]>();
const noTrouble = () => [];

/** An alias that forwards to Ann from 0 on, and from the acknowledgement at 100 on to Bob. */
function editedAt100() {
  let now = 0;
  const timeline = new ForwardingTimeline(() => now);
  timeline.begin(none, forwards("ann@x.example")).acknowledged();
  now = 90;
  const edit = timeline.begin(forwards("ann@x.example"), forwards("bob@x.example", "cleo@x.example"));
  now = 100;
  edit.acknowledged();
  now = 1000;
  return timeline;
}

const there = (at: number, ...recipients: string[]) => ({ at, address, recipients, isEnabled: true });

test("forwarding as last acknowledged, or as requested meanwhile, is not late", () => {
  const history = [there(10, "ann@x.example"), there(95, "cleo@x.example", "bob@x.example")];
  expect(editedAt100().compare(history, noTrouble)).toEqual({ neverWanted: [], late: [] });
});

test("forwarding to former destinations is late from the acknowledgement on", () => {
  const history = [there(10, "ann@x.example"), there(350, "bob@x.example", "cleo@x.example")];
  const { late } = editedAt100().compare(history, noTrouble);
  expect(late).toEqual([{ address, lateMs: 250, reachableMs: 250 }]);
  const inTrouble = editedAt100().compare(history, () => [{ from: 80, to: 300 }]);
  expect(inTrouble.late).toEqual([{ address, lateMs: 250, reachableMs: 50 }]);
});

test("a former state that comes back is late from its return on", () => {
  const to = ["bob@x.example", "cleo@x.example"];
  const history = [there(10, "ann@x.example"), there(100, ...to), there(400, "ann@x.example"), there(420, ...to)];
  expect(editedAt100().compare(history, noTrouble).late).toEqual([{ address, lateMs: 20, reachableMs: 20 }]);
});

test("a mix of old and new destinations was never wanted, nor is a state that was refused", () => {
  const mix = there(99, "ann@x.example", "bob@x.example");
  expect(editedAt100().compare([mix], noTrouble).neverWanted).toMatchObject([{ address, at: 99 }]);
  const timeline = new ForwardingTimeline(() => 5);
  timeline.begin(none, forwards("ann@x.example")).refused();
  expect(timeline.compare([there(5, "ann@x.example"), { ...there(9), isEnabled: false }], noTrouble).late).toHaveLength(
    1,
  );
});

test("a change of unknown outcome allows both states until one of them is read", () => {
  let now = 0;
  const timeline = new ForwardingTimeline(() => now);
  timeline.begin(none, forwards("ann@x.example"));
  now = 50;
  timeline.read([address], none);
  now = 200;
  expect(timeline.compare([there(10, "ann@x.example")], noTrouble).late).toMatchObject([{ lateMs: 150 }]);
});
