import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newProbe } from "../../core/probe/probe.ts";
import { bounds } from "../../limits/table.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { onEachDatabase } from "../stores.testing.ts";

const DAY_MS = 86_400_000;

describe("proofs of mail", () => {
  onEachDatabase((fixture) => {
    const start = async () => {
      const probe = newProbe({ clock: fixture.clock, random: systemRandom }, "kauke.test");
      await fixture.store.mailProbes.start(probe);
      return probe;
    };

    it("are found by id and by address, and the newest without either", async () => {
      const { mailProbes } = fixture.store;
      const probe = await start();
      expect(probe.address).toMatch(/^probe(?:-[a-z2-7]{4}){3}@kauke\.test$/);
      expect(await mailProbes.find(probe.id)).toEqual(probe);
      expect(await mailProbes.newest()).toEqual(probe);
      expect(await mailProbes.resolve(probe.address)).toBe(probe.id);
      expect(await mailProbes.resolve(`x${probe.address}`)).toBeNull();
      expect(await mailProbes.find(randomUUID())).toBeNull();
    });

    it("are unknown after a day, before retention deletes them", async () => {
      const { mailProbes } = fixture.store;
      const probe = await start();
      fixture.clock.advance(DAY_MS);
      expect(await mailProbes.resolve(probe.address)).toBeNull();
      expect(await mailProbes.find(probe.id)).toBeNull();
      expect(await mailProbes.newest()).toBeNull();
    });

    it("take so many messages and no more", async () => {
      const { mailProbes } = fixture.store;
      const probe = await start();
      const { messages } = bounds.mailProbes;
      const taken = await Promise.all(Array.from({ length: messages + 5 }, () => mailProbes.takeMessage(probe.id)));
      expect(taken.filter((one) => one !== null)).toHaveLength(messages);
      expect(await mailProbes.resolve(probe.address)).toBeNull();
      expect(await mailProbes.find(probe.id)).toEqual(probe);
    });

    it("are changed by one process at a time", async () => {
      const { mailProbes } = fixture.store;
      const second = fixture.severalProcesses ? await fixture.openSecond() : fixture.store;
      const { id, address } = await start();
      const add = (answerProblem: string | null) => `${answerProblem ?? ""}x`;
      const changes = Array.from({ length: 20 }, (_, at) => {
        const key = at % 4 < 2 ? { id } : { address };
        const stores = at % 2 === 0 ? mailProbes : second.mailProbes;
        return stores.change(key, (probe) => ({ ...probe, answerProblem: add(probe.answerProblem) }));
      });
      await Promise.all(changes);
      expect((await mailProbes.find(id))?.answerProblem).toBe("x".repeat(20));
      expect(await mailProbes.change({ address: "y" }, (probe) => probe)).toBeNull();
      if (second !== fixture.store) await second.close();
    });

    it("the newest is the one started last, also after the clock was set back", async () => {
      const { mailProbes } = fixture.store;
      await start();
      fixture.clock.advance(-3_600_000);
      const second = await start();
      expect(await mailProbes.newest()).toEqual(second);
      fixture.clock.advance(3_600_000);
    });

    it("the oldest one ends when there are too many", async () => {
      const { mailProbes } = fixture.store;
      const ids: string[] = [];
      for (let count = 0; count <= bounds.mailProbes.open; count += 1) {
        ids.push((await start()).id);
        fixture.clock.advance(1000);
      }
      const found = await Promise.all(ids.map((id) => mailProbes.find(id)));
      expect(found.map((probe) => probe !== null)).toEqual([false, ...Array(bounds.mailProbes.open).fill(true)]);
    });
  });
});
