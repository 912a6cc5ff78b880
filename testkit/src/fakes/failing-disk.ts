/** A disk that refuses what a test tells it to refuse, the way full and broken disks do; it works otherwise. */
import { fsyncSync } from "node:fs";
import { nodeSpoolFiles, type SpoolFile, type SpoolFiles } from "@kauke/server/store/queue/bodies/spool-files";

export type DiskCall = "makeDirectory" | "create" | "write" | "sync" | "rename" | "syncDirectory" | "database fsync";

export interface FailingDisk {
  /** `null`: everything works. */
  failing: { call: DiskCall; code: "EIO" | "ENOSPC" | "EDQUOT" } | null;
  /** How often something was refused. */
  refused: number;
  /** For `StoreOptions.disk`. */
  disk: { files: SpoolFiles; syncFile(descriptor: number): void };
}

export function failingDisk(): FailingDisk {
  const check = (call: DiskCall) => {
    if (it.failing?.call !== call) return;
    it.refused++;
    const { code } = it.failing;
    throw Object.assign(new Error(`${code}: refused by the test`), { code });
  };
  const wrap = (file: SpoolFile): SpoolFile => ({
    ...file,
    write: async (bytes) => {
      // As a full disk does: the first half is written.
      if (it.failing?.call === "write") await file.write(bytes.subarray(0, bytes.length / 2));
      check("write");
      await file.write(bytes);
    },
    sync: async () => {
      check("sync");
      await file.sync();
    },
  });
  const files: SpoolFiles = {
    ...nodeSpoolFiles,
    create: async (path) => {
      check("create");
      return wrap(await nodeSpoolFiles.create(path));
    },
    rename: async (from, to) => {
      check("rename");
      await nodeSpoolFiles.rename(from, to);
    },
    makeDirectory: async (path) => {
      check("makeDirectory");
      await nodeSpoolFiles.makeDirectory(path);
    },
    syncDirectory: async (path) => {
      check("syncDirectory");
      await nodeSpoolFiles.syncDirectory(path);
    },
  };
  const syncFile = (descriptor: number) => {
    check("database fsync");
    fsyncSync(descriptor);
  };
  const it: FailingDisk = { failing: null, refused: 0, disk: { files, syncFile } };
  return it;
}
