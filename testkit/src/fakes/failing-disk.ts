/** A disk whose calls fail as a test orders, in the way of full and broken disks; otherwise it works normally. */
import { fsyncSync } from "node:fs";
import { nodeSpoolFiles, type SpoolFile, type SpoolFiles } from "@kauke/server/store/queue/bodies/spool-files";

export type DiskCall =
  | "makeDirectory"
  | "create"
  | "write"
  | "sync"
  | "rename"
  | "remove"
  | "syncDirectory"
  | "database fsync";

export interface FailingDisk {
  /** Disk call that fails, and the error code of the failure; `null` when all calls work. */
  failing: { call: DiskCall; code: "EIO" | "ENOSPC" | "EDQUOT" } | null;
  /** Number of calls that failed. */
  refused: number;
  /** Value for `StoreOptions.disk`. */
  disk: { files: SpoolFiles; syncFile(descriptor: number): void };
}

export function failingDisk(): FailingDisk {
  const check = (call: DiskCall) => {
    if (disk.failing?.call !== call) return;
    disk.refused++;
    const { code } = disk.failing;
    throw Object.assign(new Error(`${code}: refused by the test`), { code });
  };
  const wrap = (file: SpoolFile): SpoolFile => ({
    ...file,
    write: async (bytes) => {
      // A full disk writes part of the data: here the first half.
      if (disk.failing?.call === "write") await file.write(bytes.subarray(0, bytes.length / 2));
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
    remove: async (path) => {
      check("remove");
      await nodeSpoolFiles.remove(path);
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
  const disk: FailingDisk = { failing: null, refused: 0, disk: { files, syncFile } };
  return disk;
}
