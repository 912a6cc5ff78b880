/**
 * A sequence of stages: each takes the immutable value that the one before it accepted and returns a verdict. The first
 * verdict other than accept ends the sequence. An observer receives every verdict, so that stages need not report their
 * own.
 */
import { accept, type StageVerdict } from "../verdict.ts";

export type Stage<In, Out> = (value: In) => StageVerdict<Out> | Promise<StageVerdict<Out>>;

/** @param name name of the stage that returned the verdict */
export type Observe<Name> = (name: Name, verdict: StageVerdict<unknown>) => void;

/** A stage with its name. `next` checks that it takes what the one before it returns. */
interface Named<Name> {
  name: Name;
  stage: Stage<never, unknown>;
}

export class Stages<Name, In, Out> {
  readonly #stages: readonly Named<Name>[];

  private constructor(stages: readonly Named<Name>[]) {
    this.#stages = stages;
  }

  static begin<Name, In>(): Stages<Name, In, In> {
    return new Stages([]);
  }

  /** @returns a sequence with one more stage at its end */
  next<Next>(name: Name, stage: Stage<Out, Next>): Stages<Name, In, Next> {
    return new Stages([...this.#stages, { name, stage }]);
  }

  /** Runs the stages in order. @throws whatever a stage throws, which means a failure; refusals are verdicts */
  async run(value: In, observe: Observe<Name>): Promise<StageVerdict<Out>> {
    let accepted: StageVerdict<unknown> & { verdict: "accept" } = accept(value);
    for (const { name, stage } of this.#stages) {
      const verdict = await stage(accepted.value as never);
      observe(name, verdict);
      if (verdict.verdict !== "accept") return verdict;
      accepted = verdict;
    }
    return accepted as StageVerdict<Out>;
  }
}
