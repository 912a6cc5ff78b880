/**
 * The order of the test files: the slowest start first, so that none of them runs alone at the end. Vitest's cache
 * knows how long files took, but a fresh clone has no cache; vitest then orders by file size, not time.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds that the slowest files take; others take 10 to 30. */
const LONGEST_S: Readonly<Record<string, number>> = {
  "screens-signed-in": 60,
  "screens-signed-out": 35,
  "encryption-keys": 35,
  "first-mail": 35,
  "forward-a-message": 35,
  webkit: 35,
  "ways-in": 35,
  firefox: 30,
  decrypt: 30,
  aliases: 30,
};

const secondsOf = ({ moduleId }: TestSpecification): number =>
  LONGEST_S[/([^/]+)\.e2e\.ts$/.exec(moduleId)?.[1] ?? ""] ?? 0;

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  }
}
