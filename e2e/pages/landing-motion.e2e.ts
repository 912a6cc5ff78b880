/**
 * Motion on the landing page: of the domain in the hero, and of the strip. The tests advance the page's clock
 * themselves.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import type { CDPSession, Locator, Page, Route } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type VisitOptions, widths } from "../browser/browser.ts";
import { seeFocus } from "../browser/see.ts";
import { runSite } from "../browser/site.ts";
import { usually } from "../browser/variants.ts";
import { heroDomain, heroOpacity, openAtRest, pauseButton, run } from "./landing-page.ts";

const site = runSite({ moves: true });

describe("the hero's domain", () => {
  test.runIf(isLongRun).each(Object.values(widths))(
    "at %i pixels it changes every 3000 ms, fading for 300 ms, in the list's order and from the start again",
    async (width) => {
      const page = await openAtRest(await site.visit({ width }), ["one.test", "two.test", "three.test"]);
      await expect.poll(() => heroDomain(page)).toBe("@one.test");
      // The clock stands at an unknown point of an interval: advance it to the beginning of the next change.
      await run(page, 400);
      while ((await heroOpacity(page)) === "turning") await run(page, 20);
      const seen: string[] = [];
      for (let turns = 0; turns < 4; turns++) {
        const before = await heroDomain(page);
        expect(await heroOpacity(page)).toBe("turning faded");
        await run(page, 270);
        expect([await heroDomain(page), await heroOpacity(page)]).toEqual([before, "turning faded"]);
        await run(page, 40);
        expect(await heroOpacity(page)).toBe("turning");
        seen.push(await heroDomain(page));
        expect(seen.at(-1)).not.toBe(before);
        await run(page, 2650);
        expect([await heroDomain(page), await heroOpacity(page)]).toEqual([seen.at(-1), "turning"]);
        await run(page, 40);
      }
      const list = ["@one.test", "@two.test", "@three.test"];
      const start = list.indexOf(seen[0] ?? "");
      expect(seen).toEqual([0, 1, 2, 3].map((turn) => list[(start + turn) % 3]));
    },
  );

  test.runIf(isLongRun)("the amber bar keeps its position, whichever domain it shows", async () => {
    for (const width of [widths.desktop, widths.phone]) {
      const page = await openAtRest(await site.visit({ width }), ["a.test", "a-rather-long-one.test"]);
      const boxes = new Set<string>();
      for (let turns = 0; turns < 3; turns++) {
        boxes.add(JSON.stringify(await page.locator(".hero-addr .dom").boundingBox()));
        await run(page, 3000);
      }
      expect(boxes.size).toBe(1);
    }
  });

  const withoutDomains = [
    ["an empty list", (route: Route) => route.fulfill({ json: { domains: [] } })],
    ["no list at all", (route: Route) => route.fulfill({ status: 500, json: { message: "broken" } })],
  ] as const;

  test.each(usually(withoutDomains, 0))("with %s the one default domain is shown", async (_, answer) => {
    const visit = await site.visit();
    let isRefused = false;
    await visit.context.route("**/api/domains", async (route) => {
      await answer(route);
    });
    visit.page.on("response", (it) => {
      if (it.url().endsWith("/api/domains") && it.status() === 500) isRefused = true;
    });
    if (_ === "no list at all") visit.expectRefusal(500, "/api/domains");
    const page = await openAtRest(visit);
    expect(isRefused).toBe(_ === "no list at all");
    await run(page, 10_000);
    expect([await heroDomain(page), await heroOpacity(page)]).toEqual(["@kauke.test", "turning"]);
  });
});

describe("the strip", () => {
  const placeOf = (page: Page): Promise<number> =>
    page.evaluate(
      'new DOMMatrix(getComputedStyle(document.querySelector(".strip ul")).transform).m41',
    ) as Promise<number>;

  type Drag = (page: Page, box: { x: number; y: number }) => Promise<{ end: () => Promise<void> }>;

  const byMouse: Drag = async (page, { x, y }) => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 1; step <= 8; step++) await page.mouse.move(x - 10 * step, y);
    return { end: () => page.mouse.up() };
  };

  const byFinger: Drag = async (page, { x, y }) => {
    const debug: CDPSession = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", at: number) =>
      debug.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: at, y }] });
    await touch("touchStart", x);
    for (let step = 1; step <= 8; step++) await touch("touchMove", x - 10 * step);
    return { end: async () => void (await touch("touchEnd", x - 80)) };
  };

  const drags: readonly [string, Drag, VisitOptions][] = [
    ["the mouse", byMouse, {}],
    ["a finger", byFinger, { hasTouch: true, width: widths.phone }],
  ];

  test.each(usually(drags, 1))(
    "is dragged by %s, stops while it is held and for 500 ms, then goes on",
    async (_, drag, options) => {
      const page = await openAtRest(await site.visit(options));
      const strip = page.locator(".strip");
      await strip.scrollIntoViewIfNeeded();
      await run(page, 100);
      const box = await strip.boundingBox();
      const before = await placeOf(page);
      const held = await drag(page, { x: (box?.x ?? 0) + 200, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 });
      // The first moves of a finger do not drag yet, and its last moves take effect in the next frame.
      await expect.poll(async () => Math.round((await placeOf(page)) - before)).toBe(-80);
      const dragged = await placeOf(page);
      await run(page, 2000);
      expect(await placeOf(page)).toBe(dragged);
      await held.end();
      await run(page, 480);
      expect(await placeOf(page)).toBe(dragged);
      await run(page, 200);
      expect(await placeOf(page)).toBeLessThan(dragged);
    },
  );

  test.runIf(isLongRun)(
    "loops: after a whole round it is at its first position, and its end is never shown",
    async () => {
      const page = await openAtRest(await site.visit());
      const width = (await page.evaluate('document.querySelector(".strip ul").scrollWidth / 3')) as number;
      let last = await placeOf(page);
      let wraps = 0;
      for (let step = 0; step < 50; step++) {
        await run(page, 1000);
        const now = await placeOf(page);
        if (now > last) wraps++;
        expect(now).toBeGreaterThanOrEqual(-width);
        expect(now).toBeLessThanOrEqual(0);
        last = now;
      }
      expect(wraps).toBe(1);
      // The strip has three copies: one scrolls out of view, and the others are wider than the window.
      expect(2 * width).toBeGreaterThan((await page.locator(".strip").boundingBox())?.width ?? Number.NaN);
    },
  );

  test("one button, reached by keyboard, pauses strip and domains and resumes them", async () => {
    const page = await openAtRest(await site.visit(), ["one.test", "two.test"]);
    const button = pauseButton(page);
    for (let stops = 0; stops < 20 && !(await isFocused(button)); stops++) await page.keyboard.press("Tab");
    await seeFocus(button);
    await page.keyboard.press("Enter");
    expect(await button.getAttribute("aria-pressed")).toBe("true");
    await run(page, 400);
    const [place, domain] = [await placeOf(page), await heroDomain(page)];
    await run(page, 10_000);
    expect([await placeOf(page), await heroDomain(page)]).toEqual([place, domain]);
    await page.keyboard.press("Space");
    expect(await button.getAttribute("aria-pressed")).toBe("false");
    await run(page, 3400);
    expect(await placeOf(page)).not.toBe(place);
    expect(await heroDomain(page)).not.toBe(domain);
  });

  test("with reduced motion preferred both are paused at first, and can be started", async () => {
    const visit = await site.visit();
    await visit.page.emulateMedia({ reducedMotion: "reduce" });
    const page = await openAtRest(visit, ["one.test", "two.test"]);
    expect(await pauseButton(page).getAttribute("aria-pressed")).toBe("true");
    await run(page, 10_000);
    expect([await placeOf(page), await heroDomain(page)]).toEqual([0, "@one.test"]);
    await pauseButton(page).click();
    await run(page, 3400);
    expect(await placeOf(page)).toBeLessThan(0);
    expect(await heroDomain(page)).toBe("@two.test");
  });

  async function isFocused(locator: Locator): Promise<boolean> {
    return locator.evaluate((element) => element === element.ownerDocument.activeElement);
  }
});
