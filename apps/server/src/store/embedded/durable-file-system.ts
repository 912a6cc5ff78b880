/**
 * The file system of the embedded database, with the fsync that PGlite lacks: its NODEFS answers every fsync with
 * success and does nothing (electric-sql/pglite issue 1107), so a power failure could lose a committed row. How NODEFS
 * is reached is an internal of PGlite 0.5.16; hence the exact pin of the version, and the fsync count that
 * `embedded-database.ts` checks at start.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** WASI's errno for an I/O error, which the database gets when the disk fails. */
const EIO = 29;

interface SyncStream {
  /** Descriptor of the open file on the host; directories have none. */
  nfd?: number;
  node: unknown;
}

interface NodeFileSystem {
  realPath(node: unknown): string;
  stream_ops: { fsync?: (stream: SyncStream) => number };
}

/** Function that calls fsync on a file descriptor; tests pass one that fails. */
export type SyncFile = (descriptor: number) => void;

export class DurableFileSystem extends NodeFS {
  /** Number of successful fsyncs. */
  syncs = 0;
  /**
   * True after a failed fsync. From then on nothing counts as stored: the kernel may have dropped the pages, and a
   * retry would report false success.
   */
  failed = false;
  readonly #syncFile: SyncFile;

  constructor(directory: string, syncFile: SyncFile = fsyncSync) {
    super(directory);
    this.#syncFile = syncFile;
  }

  override async init(pg: PGlite, options: Parameters<NodeFS["init"]>[1]): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = emscriptenOpts.preRun ?? [];
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, (module) => this.#install(module)] } };
  }

  #install(module: unknown): void {
    const { NODEFS } = module as { NODEFS: NodeFileSystem };
    NODEFS.stream_ops.fsync = (stream) => this.#sync(() => syncStream(NODEFS, stream, this.#syncFile));
  }

  #sync(sync: () => void): number {
    if (this.failed) return EIO;
    try {
      sync();
      this.syncs += 1;
      return 0;
    } catch {
      this.failed = true;
      return EIO;
    }
  }
}

function syncStream(nodeFs: NodeFileSystem, stream: SyncStream, syncFile: SyncFile): void {
  if (stream.nfd !== undefined) return syncFile(stream.nfd);
  // Windows writes directory entries to disk by itself and offers no fsync for directories.
  if (process.platform === "win32") return;
  const descriptor = openSync(nodeFs.realPath(stream.node), "r");
  try {
    syncFile(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
