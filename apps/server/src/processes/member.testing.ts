/**
 * A process of a group that serves nothing: it says that it is ready, and reports its process id as a metric. With
 * FIRST_MEMBER_ENDS the first one ends while the others start.
 */
import type { FromMember, ToMember } from "./member-process.ts";

const send = (message: FromMember) => void process.send?.(message);

const firstEnds = process.env["FIRST_MEMBER_ENDS"] !== undefined;

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToMember) => {
  if (message.kind === "start") {
    const isFirst = message.ports === null;
    if (firstEnds && isFirst) setTimeout(() => process.exit(0), 50);
    const ports = { http: null, https: null, mx: 25, submission: null, submissions: null, pop3s: null };
    const ready: FromMember = { kind: "ready", ports };
    setTimeout(() => send(ready), firstEnds && !isFirst ? 300 : 0);
  } else if (message.kind === "stop") process.exit(0);
  else send({ kind: "response", id: message.id, response: { ok: true, value: `runs{pid="${process.pid}"} 1\n` } });
});
