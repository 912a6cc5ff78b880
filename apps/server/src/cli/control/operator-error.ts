/**
 * An error whose message tells the operator what went wrong and what to do. The message is sent over the control
 * socket.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}
