import { afterEach } from "vitest";

/**
 * Closes what each test of a file or group has opened.
 * @returns an array of functions, which are called after each test, the last one first, and then removed from it
 */
export function closeAfterEach(): (() => unknown)[] {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}
