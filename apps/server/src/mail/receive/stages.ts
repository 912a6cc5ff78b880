/**
 * A sequence of stages: each takes the immutable value that the one before it accepted and returns a verdict. The first
 * verdict other than accept ends the sequence. An observer receives every verdict, so that stages need not report their
 * own.
 */
import type { StageVerdict } from "../verdict.ts";

export type Stage<In, Out> = (value: In) => StageVerdict<Out> | Promise<StageVerdict<Out>>;

/** @param name name of the stage that returned the verdict */
export type Observe<Name> = (name: Name, verdict: StageVerdict<unknown>) => void;

export class Stages<Name, In, Out> {
  readonly #run: (value: In, observe: Observe<Name>) => Promise<StageVerdict<Out>>;

  private constructor(run: (value: In, observe: Observe<Name>) => Promise<StageVerdict<Out>>) {
    this.#run = run;
  }

  static begin<Name, In>(): Stages<Name, In, In> {
    return new Stages(async (value) => ({ verdict: "accept", value }));
  }

  /** @returns a sequence with one more stage at its end */
  next<Next>(name: Name, stage: Stage<Out, Next>): Stages<Name, In, Next> {
    return new Stages(async (value, observe) => {
      const before = await this.#run(value, observe);
      if (before.verdict !== "accept") return before;
      const verdict = await stage(before.value);
      observe(name, verdict);
      return verdict;
    });
  }

  /** Runs the stages in order. @throws whatever a stage throws, which means a failure; refusals are verdicts */
  run(value: In, observe: Observe<Name>): Promise<StageVerdict<Out>> {
    return this.#run(value, observe);
  }
}
