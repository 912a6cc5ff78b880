/** Plants canaries in the checklist: in sites and old addresses. */
import type { CanaryAccount } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/** Adds sites to the checklist; one is ticked off, one is removed. */
export async function plantChecklist(
  canaries: Canaries,
  { owner, aliasId }: { owner: CanaryAccount; aliasId: string },
): Promise<void> {
  const rows = ["checklist-kept", "checklist-ticked", "checklist-removed"].map((label) => ({
    site: `${canaries.word(label)}.example`,
    oldAddress: `${canaries.word(`${label}-address`)}@${canaries.word(`${label}-domain`)}.example`,
  }));
  await owner.call("PUT", "/api/checklist", { rows });
  const { rows: listed } = await owner.call<{ rows: { id: string }[] }>("GET", "/api/checklist");
  const [, ticked, removed] = listed.map(({ id }) => id);
  const changes = [
    { id: ticked, done: true, aliasId },
    { id: removed, remove: true },
  ];
  await owner.call("PATCH", "/api/checklist", { changes });
}
