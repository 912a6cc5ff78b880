/**
 * The order of the test files: the slowest start first, so that none of them runs alone at the end. Vitest's cache
 * knows how long files took, but a fresh clone has no cache; vitest then orders by file size, not time.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Makes the sequencer for `sequence.sequencer`.
 * @param longestS seconds that the slowest files take, by the end of their path without `.test.ts` or `.e2e.ts`
 */
export function slowestFilesFirst(longestS: Readonly<Record<string, number>>): typeof BaseSequencer {
  const secondsOf = ({ moduleId }: TestSpecification): number => {
    const path = moduleId.replace(/\.(?:e2e|test)\.tsx?$/, "");
    return Object.entries(longestS).find(([name]) => path.endsWith(`/${name}`))?.[1] ?? 0;
  };
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return (await super.sort(files)).toSorted((one, other) => secondsOf(other) - secondsOf(one));
    }
  };
}
