import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MessageBodies } from "../../../core/message/message.ts";
import { serverKeys } from "../../sealing/server-keys.ts";
import { onEachDatabase } from "../../stores.testing.ts";
import { messageBodiesInFiles } from "./message-bodies.ts";
import { SPOOL_CHUNK_BYTES } from "./sealed-chunks.ts";
import { nodeSpoolFiles, type SpoolFile, type SpoolFiles } from "./spool-files.ts";

const sizes = [0, 1, SPOOL_CHUNK_BYTES - 1, SPOOL_CHUNK_BYTES, SPOOL_CHUNK_BYTES + 1, 3 * SPOOL_CHUNK_BYTES + 17];

function behavesAsBodies(bodies: () => MessageBodies): void {
  it.each(sizes)("a body of %i bytes is read back byte for byte, however it was split", async (size) => {
    const body = randomBytes(size);
    const cuts = [0, Math.floor(size / 3), Math.floor(size / 2), size];
    const parts = cuts.slice(1).map((end, at) => body.subarray(cuts[at], end));
    const id = randomUUID();
    await bodies().put(id, parts);
    expect((await bodies().get(id))?.equals(body)).toBe(true);
    expect((await bodies().getStart(id))?.equals(body.subarray(0, SPOOL_CHUNK_BYTES))).toBe(true);
  });

  it("an unknown or deleted body reads as null", async () => {
    const id = randomUUID();
    expect(await bodies().get(id)).toBeNull();
    expect(await bodies().getStart(id)).toBeNull();
    await bodies().put(id, [Buffer.from("x")]);
    await bodies().delete(id);
    await bodies().delete(id);
    expect(await bodies().get(id)).toBeNull();
  });

  it("the sweep deletes bodies without a row and no others", async () => {
    const [known, orphan] = [randomUUID(), randomUUID()];
    for (const id of [known, orphan]) await bodies().put(id, [Buffer.from("x")]);
    const isKnown = async (id: string) => id !== orphan;
    expect(await bodies().sweep(isKnown, 3_600_000)).toBe(0);
    expect(await bodies().sweep(isKnown, 0)).toBe(1);
    expect(await bodies().get(orphan)).toBeNull();
    expect(await bodies().get(known)).not.toBeNull();
  });
}

describe("bodies in rows", () => {
  onEachDatabase((fixture) => {
    behavesAsBodies(() => fixture.store.bodies);

    it.skipIf(!fixture.severalProcesses)("the rows reveal nothing of the body", async () => {
      const id = randomUUID();
      await fixture.store.bodies.put(id, [Buffer.from("a secret subject".repeat(1000))]);
      const client = new pg.Client({ connectionString: fixture.databaseUrl() ?? "" });
      await client.connect();
      const { rows } = await client.query<{ sealed: Buffer }>(
        "SELECT sealed FROM message_chunk WHERE message_id = $1",
        [id],
      );
      await client.end();
      const bytes = Buffer.concat(rows.map(({ sealed }) => sealed));
      expect([bytes.length > 16_000, bytes.includes("secret")]).toEqual([true, false]);
    });
  });
});

describe("bodies in files", () => {
  const keys = serverKeys(["seal", "index"].map((purpose, at) => ({ id: at + 1, purpose, bytes: randomBytes(32) })));
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "kauke-spool-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));
  const bodiesOn = (files: SpoolFiles) => messageBodiesInFiles({ directory, keys, files, now: () => new Date() });
  const bodies = () => bodiesOn(nodeSpoolFiles);
  const pathOf = (id: string) => join(directory, id.slice(0, 2), id);

  behavesAsBodies(bodies);

  it("the file reveals nothing of the body", async () => {
    const id = randomUUID();
    await bodies().put(id, [Buffer.from("a secret subject".repeat(1000))]);
    expect((await readFile(pathOf(id))).includes("secret")).toBe(false);
  });

  it("a file that was changed, truncated at a chunk boundary or moved to another name reads as null", async () => {
    const [id, other] = [randomUUID(), randomUUID()];
    await bodies().put(id, [randomBytes(2 * SPOOL_CHUNK_BYTES + 5)]);
    const whole = await readFile(pathOf(id));
    const chunk = Math.floor((whole.length - 37) / 2);
    const changed = Buffer.from(whole);
    changed[100] = (changed[100] ?? 0) ^ 1;
    for (const damaged of [changed, whole.subarray(0, 2 * chunk), whole.subarray(0, 10), Buffer.alloc(0)]) {
      await writeFile(pathOf(id), damaged);
      expect(await bodies().get(id)).toBeNull();
    }
    await bodies().put(other, [Buffer.from("x")]);
    await writeFile(pathOf(other), whole);
    expect(await bodies().get(other)).toBeNull();
    await writeFile(pathOf(id), whole);
    expect(await bodies().get(id)).toHaveLength(2 * SPOOL_CHUNK_BYTES + 5);
  });

  it("a file that a killed process left incomplete is swept", async () => {
    const path = `${pathOf(randomUUID())}.part`;
    await bodies().put(randomUUID(), [Buffer.from("x")]);
    await nodeSpoolFiles.makeDirectory(join(path, ".."));
    await writeFile(path, "half");
    await utimes(path, new Date(0), new Date(0));
    expect(await bodies().sweep(async () => true, 3_600_000)).toBe(1);
  });

  const failing: Record<string, SpoolFiles> = {
    "a full disk": { ...nodeSpoolFiles, create: (path) => broken(path, { write: fails("ENOSPC") }) },
    "a disk that is full at the second chunk": {
      ...nodeSpoolFiles,
      create: (path) => broken(path, { write: failsAtSecond("ENOSPC") }),
    },
    "a failing fsync": { ...nodeSpoolFiles, create: (path) => broken(path, { sync: fails("EIO") }) },
    "a failing rename": { ...nodeSpoolFiles, rename: fails("EIO") },
    "a failing fsync of the directory": { ...nodeSpoolFiles, syncDirectory: fails("EIO") },
  };
  it.each(Object.keys(failing))("with %s, put fails and leaves no file behind", async (name) => {
    const id = randomUUID();
    const put = bodiesOn(failing[name] as SpoolFiles).put(id, [randomBytes(2 * SPOOL_CHUNK_BYTES)]);
    await expect(put).rejects.toMatchObject({ code: "spool_failed" });
    expect(await bodies().get(id)).toBeNull();
    const left = await readdir(join(directory, id.slice(0, 2))).catch(() => []);
    expect(left.filter((entry) => entry.startsWith(id))).toEqual([]);
  });

  it("is acknowledged only after file and directory were synced, in this order", async () => {
    const steps: string[] = [];
    const files: SpoolFiles = {
      ...nodeSpoolFiles,
      create: (path) =>
        broken(path, {
          sync: async (file) => {
            steps.push("sync file");
            await file.sync();
          },
        }),
      rename: async (from, to) => {
        steps.push("rename");
        await nodeSpoolFiles.rename(from, to);
      },
      syncDirectory: async (path) => {
        await nodeSpoolFiles.syncDirectory(path);
        steps.push(`sync ${path === directory ? "spool" : "directory"}`);
      },
    };
    await bodiesOn(files).put(randomUUID(), [Buffer.from("x")]);
    expect(steps).toEqual(["sync spool", "sync file", "rename", "sync directory"]);
  });
});

type Broken = {
  write?: (file: SpoolFile, bytes: Uint8Array) => Promise<void>;
  sync?: (file: SpoolFile) => Promise<void>;
};

async function broken(path: string, { write, sync }: Broken): Promise<SpoolFile> {
  const file = await nodeSpoolFiles.create(path);
  return {
    ...file,
    ...(write && { write: (bytes) => write(file, bytes) }),
    ...(sync && { sync: () => sync(file) }),
  };
}

function fails(code: string): () => Promise<never> {
  return async () => {
    throw Object.assign(new Error(code), { code });
  };
}

function failsAtSecond(code: string): (file: SpoolFile, bytes: Uint8Array) => Promise<void> {
  let written = 0;
  return async (file, bytes) => {
    written += 1;
    if (written === 2) throw Object.assign(new Error(code), { code });
    await file.write(bytes);
  };
}
