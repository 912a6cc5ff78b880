/**
 * Stages in a row: each takes the immutable value that the one before it accepted, and answers a verdict. The first that does not
 * accept ends the row. Whoever runs the row sees every verdict, so that stages need not report what they decided.
 */
import type { StageVerdict } from "../verdict.ts";

export type Stage<In, Out> = (value: In) => StageVerdict<Out> | Promise<StageVerdict<Out>>;

/** @param name of the stage that answered */
export type Observe<Name> = (name: Name, verdict: StageVerdict<unknown>) => void;

export class Stages<Name, In, Out> {
  readonly #run: (value: In, observe: Observe<Name>) => Promise<StageVerdict<Out>>;

  private constructor(run: (value: In, observe: Observe<Name>) => Promise<StageVerdict<Out>>) {
    this.#run = run;
  }

  static begin<Name, In>(): Stages<Name, In, In> {
    return new Stages(async (value) => ({ verdict: "accept", value }));
  }

  /** @returns these stages with one more after them */
  next<Next>(name: Name, stage: Stage<Out, Next>): Stages<Name, In, Next> {
    return new Stages(async (value, observe) => {
      const before = await this.#run(value, observe);
      if (before.verdict !== "accept") return before;
      const verdict = await stage(before.value);
      observe(name, verdict);
      return verdict;
    });
  }

  /** @throws what a stage throws: trouble, never policy */
  run(value: In, observe: Observe<Name>): Promise<StageVerdict<Out>> {
    return this.#run(value, observe);
  }
}
