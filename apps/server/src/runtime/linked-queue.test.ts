import fc from "fast-check";
import { expect, it } from "vitest";
import { type Linked, LinkedQueue } from "./linked-queue.ts";

interface Item extends Linked<Item> {
  name: number;
}

function namesOf(queue: LinkedQueue<Item>): number[] {
  const names = [];
  for (let item = queue.first; item !== null; item = item.next) names.push(item.name);
  return names;
}

it("keeps the order in which items came, whichever are removed", () => {
  const property = fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(9))), (steps) => {
    const queue = new LinkedQueue<Item>();
    const inside: Item[] = [];
    for (const [isAdded, place] of steps) {
      const item = { name: inside.length + place, previous: null, next: null };
      const removed = inside[place];
      if (isAdded) {
        queue.push(item);
        inside.push(item);
      } else if (removed !== undefined) {
        queue.remove(removed);
        inside.splice(place, 1);
      }
      expect(namesOf(queue)).toEqual(inside.map(({ name }) => name));
    }
    // Both ends are right: everything can be removed and added again.
    for (const item of inside.splice(0)) queue.remove(item);
    expect(queue.first).toBeNull();
    const last = { name: 1, previous: null, next: null };
    queue.push(last);
    expect(namesOf(queue)).toEqual([1]);
  });
  fc.assert(property, { numRuns: 300 });
});
