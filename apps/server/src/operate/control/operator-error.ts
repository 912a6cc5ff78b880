/** A sentence for the operator: what stands in the way and what to do. It crosses the control socket as it is. */
export class OperatorError extends Error {
  override name = "OperatorError";
}
