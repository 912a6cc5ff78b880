import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { embeddedSecretKey, givenSecretKey } from "./secret-key.ts";

describe("the wrapping key", () => {
  let dataDir: string;
  let path: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "kauke-key-"));
    path = join(dataDir, "secret.key");
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));
  const namesTheSetting = expect.stringContaining("KAUKE_SECRET_KEY");

  it("is created at the first start, readable by its owner only, and read at the next", async () => {
    const made = await embeddedSecretKey(dataDir, null);
    expect(made).toHaveLength(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, "utf8")).trim()).toBe(made.toString("base64"));
    expect(await embeddedSecretKey(dataDir, null)).toEqual(made);
  });

  it("a given key takes precedence, and no file is created", async () => {
    const given = randomBytes(32);
    expect(await embeddedSecretKey(dataDir, given)).toEqual(given);
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it.each([0o640, 0o604, 0o660])("a file of mode %o is refused", async (mode) => {
    await embeddedSecretKey(dataDir, null);
    await chmod(path, mode);
    const refused = { reason: "secret_key_readable", message: namesTheSetting };
    await expect(embeddedSecretKey(dataDir, null)).rejects.toMatchObject(refused);
  });

  it("a damaged file is refused", async () => {
    await writeFile(path, "short", { mode: 0o600 });
    await expect(embeddedSecretKey(dataDir, null)).rejects.toMatchObject({ reason: "secret_key_wrong" });
  });

  it("a missing file is not replaced by a new key while there is a database", async () => {
    await mkdir(join(dataDir, "db"));
    const refused = { reason: "secret_key_missing", message: namesTheSetting };
    await expect(embeddedSecretKey(dataDir, null)).rejects.toMatchObject(refused);
  });

  it("with PostgreSQL it must be given and complete", () => {
    expect(() => givenSecretKey(null)).toThrow("KAUKE_SECRET_KEY");
    expect(() => givenSecretKey(randomBytes(31))).toThrow("KAUKE_SECRET_KEY");
  });
});
