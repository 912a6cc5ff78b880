import { afterEach } from "vitest";

/**
 * For a test file or a group of tests.
 * @returns an array of functions which are called after each test, the last one first, and then removed from it
 */
export function closeAfterEach(): (() => unknown)[] {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}
