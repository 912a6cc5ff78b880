/** Interfaces of load generators and sinks. */
export interface SendJob {
  port: number;
  rcptTo: string;
  count: number;
  sessions: number;
  sizeBytes: number;
}

export interface LoadSink {
  /** @returns the number of messages accepted so far */
  received(): number;
  close(): Promise<void>;
}

export interface MailLoad {
  name: string;
  startSink(port: number): Promise<LoadSink>;
  /**
   * Makes the messages of the next `send`, and sends others that the forwarder should have seen before. Called before a
   * measurement begins. @returns the number of messages sent
   */
  prepare?(job: SendJob): Promise<number>;
  /** Resolves when every message was answered with 250. @throws when one was not */
  send(job: SendJob): Promise<void>;
}

export const envelopeFrom = "sender@remote.test";
export const helo = "client.remote.test";
