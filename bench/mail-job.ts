/** What a generator of mail is asked to send, and what a generator and its sink can do. */
export interface SendJob {
  port: number;
  rcptTo: string;
  count: number;
  sessions: number;
  sizeBytes: number;
}

export interface LoadSink {
  /** Messages taken so far. */
  received(): number;
  close(): Promise<void>;
}

export interface MailLoad {
  name: string;
  startSink(port: number): Promise<LoadSink>;
  /** Resolves when every message was answered 250. @throws when one was not */
  send(job: SendJob): Promise<void>;
}

export const envelopeFrom = "sender@remote.test";
export const helo = "client.remote.test";
