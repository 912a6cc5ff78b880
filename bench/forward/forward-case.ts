/** One measurement of a forwarder: how many messages of which size, over how many sessions. */
export interface ForwardCase {
  sizeBytes: number;
  sessions: number;
  /** Messages per measurement. */
  count: number;
}
