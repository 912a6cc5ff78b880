/**
 * Plants canaries in imports: in cells of files that are imported, undone or refused, and in API keys of other
 * services.
 */
import type { CanaryAccount, CanaryClient } from "./canary-client.ts";
import type { Canaries } from "./canary-scan.ts";

interface Parts {
  client: CanaryClient;
  owner: CanaryAccount;
}

interface Stored {
  importId: string;
  state: string;
  made: number;
}

/**
 * Leaves one import that was run, one that was undone and one dry run.
 * @throws when one of them has an unexpected state
 */
export async function plantImports(canaries: Canaries, { client, owner }: Parts): Promise<void> {
  const word = (label: string) => canaries.word(label);
  const upload = async (file: string) => {
    const headers = { ...owner.headers, "content-type": "application/octet-stream" };
    return client.send({ method: "POST", path: "/api/imports", body: file, headers });
  };
  const list = (label: string) => {
    const box = `${word(`${label}-mailbox`)}@${word(`${label}-mailbox-domain`)}.example`;
    const foreign = `${word(`${label}-was`)}@${word(`${label}-was-domain`)}.example`;
    const rows = [`${word(`${label}-alias`)}@kauke.test`, foreign, `${word(`${label}-bad`)} x@kauke.test`];
    return `alias,note,enabled,mailboxes\n${rows.map((row) => `${row},${word(`${label}-note`)} ąčę,True,${box}`).join("\n")}\n`;
  };
  const plan = async (label: string) => {
    const { status, text } = await upload(list(label));
    if (status !== 201) throw new Error(`an import was answered ${status}`);
    return (JSON.parse(text) as Stored).importId;
  };
  const ended = async (importId: string): Promise<Stored> => {
    for (;;) {
      const found = await owner.call<Stored>("GET", `/api/imports/${importId}`);
      if (found.state === "done" || found.state === "undone") return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  for (const label of ["import-run", "import-undone"]) {
    const importId = await plan(label);
    await owner.call("POST", `/api/imports/${importId}/run`);
    if ((await ended(importId)).made !== 2) throw new Error("the import made other aliases than planned");
    if (label === "import-undone") await owner.call("POST", `/api/imports/${importId}/undo`);
    await ended(importId);
  }
  await plan("import-planned");
  const refused = [
    `alias,note,enabled,mailboxes\n"${word("import-unmatched")}`,
    `[{"full_address":"${word("import-json")}`,
    `name,url,username,password,note\n${word("import-site")},x,${word("import-user")},${word("import-password")},`,
    word("import-text"),
    `PK\u0003\u0004${word("import-zip")}`,
  ];
  for (const file of refused) {
    const { status } = await upload(file);
    if (status !== 400) throw new Error(`a file that can't be read was answered ${status}`);
  }
  const service = { service: "addy", baseUrl: "https://localhost", apiKey: word("import-service-key") };
  if ((await owner.statusOf("POST", "/api/imports/from-service", service)) !== 400)
    throw new Error("a service of the internal network was called");
}
