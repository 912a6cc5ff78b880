/**
 * The messages that run a prepared statement, in one buffer and so in one system call (PostgreSQL documentation,
 * "Frontend/Backend Protocol: Message Formats").
 */

/** Value in the form that the protocol takes: text, bytes, or `NULL`. */
export type PlainValue = string | Buffer | null;

const LENGTH_BYTES = 4;
const FORMAT_TEXT = 0;
const FORMAT_BYTES = 1;
/** Execute of the unnamed portal without a maximum number of rows, then Sync. */
const executeAndSync = Buffer.from("450000000900000000005300000004", "hex");

/** @returns Bind of the statement to the unnamed portal, with results as text; Execute; Sync */
export function bindAndExecute(statement: string, values: readonly PlainValue[]): Buffer {
  const sizes = values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : (value?.length ?? 0)));
  const nameBytes = Buffer.byteLength(statement);
  // After the length: two names with their zeros, numbers of formats, of values and of formats of results.
  const bindBytes = LENGTH_BYTES + 1 + nameBytes + 1 + 3 * 2 + values.length * (2 + LENGTH_BYTES) + sum(sizes);
  const message = Buffer.allocUnsafe(1 + bindBytes + executeAndSync.length);
  let at = message.write("B", 0, "latin1");
  at = message.writeInt32BE(bindBytes, at);
  at = message.writeUInt8(0, at);
  at += message.write(statement, at, "utf8");
  at = message.writeUInt8(0, at);
  at = message.writeUInt16BE(values.length, at);
  for (const value of values) at = message.writeUInt16BE(Buffer.isBuffer(value) ? FORMAT_BYTES : FORMAT_TEXT, at);
  at = message.writeUInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    at = message.writeInt32BE(value === null ? -1 : (sizes[index] as number), at);
    if (typeof value === "string") at += message.write(value, at, "utf8");
    else if (value !== null) at += value.copy(message, at);
  }
  at = message.writeUInt16BE(0, at);
  executeAndSync.copy(message, at);
  return message;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
