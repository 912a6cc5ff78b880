/** Files attached to composed mail: one in a message that waits, one that no message takes. */
import type { CanaryAccount, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

export async function plantAttachments(
  canaries: Canaries,
  { client, owner, job }: { client: CanaryClient; owner: CanaryAccount; job: Record<string, string> },
): Promise<void> {
  const word = (label: string) => canaries.word(label);
  const upload = async (label: string): Promise<string> => {
    const headers = { ...owner.headers, "content-type": "application/octet-stream" };
    const body = `${word(label)} in a file. `.repeat(20_000);
    const { status, text } = await client.send({ method: "POST", path: "/api/email-attachments", body, headers });
    if (status !== 201) throw new Error(`an attachment's upload answered ${status}: ${text}`);
    return (JSON.parse(text) as { attachmentId: string }).attachmentId;
  };
  await upload("attachment-left");
  await owner.call("PUT", "/api/people", { address: `${word("contact")}@people.example`, publicKey: null });
  const recipient = (label: string) => `${word(label)}-down@people.example`;
  await owner.call("POST", "/api/email-jobs", {
    ...job,
    to: [recipient("several-to")],
    cc: [recipient("several-cc")],
    bcc: [recipient("several-bcc")],
    attachments: [{ id: await upload("attachment-sent"), name: `${word("attachment-name")}.txt`, type: "text/plain" }],
  });
}
