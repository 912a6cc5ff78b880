/**
 * Frees the memory of a Buffer at once, unless other Buffers share it. V8 counts memory outside its heap, and marks the
 * whole heap whenever some tens of MB of Buffers wait for garbage collection; that took a third of the processor time
 * of messages of 1 MiB (docs/decisions/2026-11-25-freed-messages.md).
 *
 * Afterwards the Buffer is empty. Call it only when no socket still has to write these bytes: it would send whatever is
 * stored in the freed memory next.
 */
export function freeMemory(bytes: Buffer): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.length === buffer.byteLength && !buffer.detached) buffer.transfer(0);
}
