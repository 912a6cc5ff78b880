/** What the first steps of an account need of the store, and of the mail path for a test message. */

export interface FirstStepsStore {
  /** Whether an alias of the account has forwarded a message. */
  hasMail(userId: string): Promise<boolean>;
  /** Whether a message has deliveries that have not ended. */
  isQueued(messageId: string): Promise<boolean>;
}

export interface TestMail {
  from: string;
  to: string;
  /** CRLF lines, not dot-stuffed. */
  raw: Buffer;
}

export type TestResult =
  | { kind: "accepted"; messageId: string }
  | { kind: "paused" }
  | { kind: "refused"; text: string };

/** Hands a message to this process's mail path, as another host would. */
export type SendTestMail = (mail: TestMail) => Promise<TestResult>;
