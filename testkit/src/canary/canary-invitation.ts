/** Plants canaries in an invitation that stays open, and in a Google sign-in with its token. */
import { controlClient } from "@kauke/server/cli/control/control-client";
import { controlPath } from "@kauke/server/cli/control/control-protocol";
import type { CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

export async function plantInvitation(canaries: Canaries, client: CanaryClient, dataDir: string): Promise<void> {
  const address = `${canaries.word("invited")}@${canaries.word("invited-domain")}.example`;
  const invite = controlClient(controlPath(dataDir) ?? "")["invites-create"];
  const token = (await invite({ address, days: 7 })).link.split("#invite=")[1] ?? "";
  canaries.watch("invite-token", token);
  const path = "/api/auth/google";
  const { status, text } = await client.send({ method: "POST", path, body: { invite: token } });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
}
