import { type ControlHandlers, OperatorError } from "./control-protocol.ts";

type ProbeCalls = Pick<ControlHandlers, "probe-start" | "probe-state" | "probe-judge">;

export function probeCalls(): ProbeCalls {
  return {
    "probe-start": async () => {
      throw new OperatorError("This server can't prove its mail yet.");
    },
    "probe-state": async () => null,
    "probe-judge": async () => null,
  };
}
