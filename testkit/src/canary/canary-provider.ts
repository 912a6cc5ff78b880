/** Aliases that a forwarding provider has, refuses, or says nothing about, with a canary wherever there is room for one. */
import type { FakeForwardEmail } from "../fakes/fake-forward-email.ts";
import type { CanaryAccount } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

/** Names of aliases of which the provider refuses one, and loses its response about the other once. */
const [refused, lost] = ["provider-refused", "provider-lost"];

/** Makes the provider quote canaries in its errors, and somebody else have an alias there. */
export function plantAtProvider(canaries: Canaries, provider: FakeForwardEmail): void {
  const recipients = [`${canaries.word("provider-foreign")}@people.example`];
  provider.putAlias(`${canaries.word("provider-conflict")}@kauke.test`, { recipients });
  let losses = 0;
  provider.faultFor(({ body }) => {
    const text = JSON.stringify(body);
    const message = `<b>${canaries.word("provider-error")}</b> https://help.example/${canaries.word("provider-link")}`;
    if (text.includes(refused)) return { kind: "status", status: 400, body: { statusCode: 400, message } };
    if (text.includes(lost) && losses++ === 0) return { kind: "lost" };
    return null;
  });
}

/** @returns once each alias is at the provider or has failed */
export async function plantProviderAliases(canaries: Canaries, owner: CanaryAccount): Promise<{ failed: number }> {
  const make = (label: string) => {
    const forwardTo = `${canaries.word(`${label}-mailbox`)}@${canaries.word(`${label}-domain`)}.example`;
    const body = {
      alias: canaries.word(label),
      domain: "kauke.test",
      forwardTo,
      notes: canaries.word(`${label}-notes`),
    };
    return owner.call<{ id: string }>("POST", `/api/aliases/${owner.id}`, body);
  };
  const kept = await make("provider-alias");
  const made = await owner.call<{ credential: { password: string } }>("POST", "/api/smtp-credentials", {
    aliasId: kept.id,
  });
  canaries.watch("smtp-password", made.credential.password);
  const hook = `https://hooks.example/${canaries.word("provider-hook")}`;
  await owner.call("PUT", `/api/aliases/${kept.id}`, { alias: canaries.word("provider-renamed"), forwardTo: hook });
  for (const label of [refused, lost, "provider-conflict"]) await make(label);
  const paused = await make("provider-paused");
  await owner.call("PATCH", `/api/aliases/${paused.id}/toggle`, { active: false });
  const deleted = await make("provider-deleted");
  await owner.call("DELETE", `/api/aliases/${deleted.id}`);
  for (const until = Date.now() + 60_000; ; ) {
    type Counts = Record<"waiting" | "failed", number>;
    const { counts } = await owner.call<{ counts: Counts }>("GET", "/api/forwarding");
    if (counts.waiting === 0) return counts;
    if (Date.now() > until) throw new Error(`aliases are not set up: ${JSON.stringify(counts)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
