/** Who is told that strangers can register, and with which address an invitation is printed. */
import { kaukeInTurns } from "@kauke/testkit/programs/kauke-in-turns";
import { makeDataDir, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";

afterAll(removeDataDirs);

const publicUrl = "https://kauke.example";
const warning = "Everybody who reaches this server can register.";

async function startWith(env: Record<string, string>) {
  const dataDir = await makeDataDir();
  const server = await startServerProcess({ dataDir, env });
  const doctor = async () => {
    const { out } = await kaukeInTurns(["doctor", "--json"], { dataDir });
    const { checks } = JSON.parse(out) as { checks: { check: string; state: string; says: string }[] };
    return checks.find(({ check }) => check === "registration");
  };
  return { server, dataDir, doctor };
}

test("a start that strangers can reach warns of open registration in one line, and so does the doctor", async () => {
  const { server, doctor } = await startWith({ KAUKE_PUBLIC_URL: publicUrl });
  expect(server.output().split(warning)).toHaveLength(2);
  expect(await doctor()).toMatchObject({ state: "warn", says: expect.stringContaining("KAUKE_REGISTRATION") });
  await server.stop();
}, 60_000);

test("by invitation nothing is warned of, and links begin with the public URL", async () => {
  const { server, dataDir, doctor } = await startWith({ KAUKE_PUBLIC_URL: publicUrl, KAUKE_REGISTRATION: "invite" });
  expect(server.output()).not.toContain(warning);
  expect(await doctor()).toMatchObject({ state: "ok" });
  const { out } = await kaukeInTurns(["users", "invite"], { dataDir });
  expect(out).toMatch(/^https:\/\/kauke\.example\/register#invite=[a-z2-7]{32}\n/);
  expect(out).not.toContain("KAUKE_REGISTRATION");
  await server.stop();
}, 60_000);
