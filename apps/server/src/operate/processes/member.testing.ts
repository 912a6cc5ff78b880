/** A process of a group that serves nothing: it says that it is ready, and reports its process id as a metric. */
import type { FromMember, ToMember } from "./process-messages.ts";

const send = (message: FromMember) => void process.send?.(message);

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToMember) => {
  if (message.kind === "start")
    send({ kind: "ready", ports: { http: null, mx: 25, submission: null, submissions: null } });
  else if (message.kind === "stop") process.exit(0);
  else send({ kind: "response", id: message.id, answer: { ok: true, value: `runs{pid="${process.pid}"} 1\n` } });
});
