/** What mail programs look up, and links to configuration profiles: one that is used, one that stays open. */
import type { CanaryAccount, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

export async function plantMailPrograms(
  canaries: Canaries,
  { client, owner, aliasId }: { client: CanaryClient; owner: CanaryAccount; aliasId: string },
): Promise<void> {
  const address = () => `${canaries.word("looked-up")}@kauke.test`;
  const expectStatus = async (status: number, path: string, body?: string) => {
    const headers: Record<string, string> = body === undefined ? {} : { "content-type": "text/xml" };
    const answer = await client.send({ method: body === undefined ? "GET" : "POST", path, body, headers });
    if (answer.status !== status) throw new Error(`${path.slice(0, 12)} answered ${answer.status}: ${answer.text}`);
  };
  await expectStatus(200, `/.well-known/autoconfig/mail/config-v1.1.xml?emailaddress=${address()}`);
  await expectStatus(200, "/Autodiscover/Autodiscover.xml", `<EMailAddress>${address()}</EMailAddress>`);
  const makeLink = async (label: string): Promise<string> => {
    const { url } = await owner.call<{ url: string }>("POST", `/api/smtp-credentials/alias/${aliasId}/profile`);
    const { pathname } = new URL(url);
    canaries.watch(`profile-${label}`, pathname.split("/").at(-1) ?? "");
    return pathname;
  };
  await expectStatus(200, await makeLink("used"));
  await makeLink("open");
  await expectStatus(404, `/mail-profile/${canaries.word("profile-unknown")}`);
  await owner.call("POST", `/api/smtp-credentials/alias/${aliasId}/test`);
}
