/** The product's SMTP server without the rest of the product, for tests of the protocol and of its limits. */
import { MemoryBudget } from "@kauke/server/limits/bytes";
import { accept, reply } from "@kauke/server/mail/reply";
import { SmtpServer, type SmtpServerOptions } from "@kauke/server/mail/smtp/smtp-server";
import { onTestFinished } from "vitest";

export interface StartedSmtpServer {
  port: number;
  budget: MemoryBudget;
  /** Number of open connections according to the metrics. */
  sessions(): number | undefined;
  /** Label `why` of every event counted in the metrics; empty for an event without that label. */
  reasons: string[];
  server: SmtpServer;
}

/** Accepts every message to any address, and discards it. */
export const acceptAll: SmtpServerOptions["handlers"] = {
  resolve: async (path) => accept({ kind: "operator", address: path.canonical }),
  receive: async () => reply(250, "2.0.0", "Ok kept"),
};

export type SmtpServerStart = Partial<
  Pick<SmtpServerOptions, "maxMessageBytes" | "budget" | "handlers" | "tls" | "openSession"> &
    SmtpServerOptions["limits"]
>;

/** Starts a server on a free port for the test that is running, and closes it when the test is finished. */
export async function startSmtpServer(options: SmtpServerStart = {}): Promise<StartedSmtpServer> {
  const gauges = new Map<string, () => number>();
  const reasons: string[] = [];
  const { maxMessageBytes = 1_000_000, budget = new MemoryBudget(10_000_000), handlers = acceptAll } = options;
  const { tls = null, openSession, ...limits } = options;
  const server = new SmtpServer({
    listener: { host: "127.0.0.1", port: 0, sharePort: false, gauge: "kauke_mx_sessions" },
    mailHost: "mail.kauke.test",
    maxMessageBytes,
    budget,
    handlers,
    tls,
    ...(openSession && { openSession }),
    limits: { maxConnections: 10, maxConnectionsPerAddress: 10, maxBytesPerAddress: 10_000_000, ...limits },
    metrics: {
      count: (_name, labels) => void reasons.push(labels?.why ?? ""),
      gauge: (name, read) => void gauges.set(name, read),
    },
  });
  onTestFinished(() => server.close(100));
  const sessions = () => gauges.get("kauke_mx_sessions")?.();
  return { server, port: await server.listen(), budget, sessions, reasons };
}
