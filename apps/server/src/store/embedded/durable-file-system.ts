/**
 * The file system under the embedded database, with the fsync PGlite's own lacks: its NODEFS answers every fsync with success
 * and does nothing (electric-sql/pglite issue 1107), so a committed row could be lost with the power. Where NODEFS can be
 * reached is an internal of PGlite 0.5.16; hence the exact pin, and the count that `embedded-database.ts` checks at start.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

/** errno of WASI; what the database sees when the disk fails. */
const EIO = 29;

interface SyncStream {
  /** Descriptor of the host; directories have none. */
  nfd?: number;
  node: unknown;
}

interface NodeFileSystem {
  realPath(node: unknown): string;
  stream_ops: { fsync?: (stream: SyncStream) => number };
}

/** The one call that is replaced in tests, to fail. */
export type SyncFile = (descriptor: number) => void;

export class DurableFileSystem extends NodeFS {
  /** fsyncs done so far. */
  syncs = 0;
  /** After one failure nothing counts as stored any more: the kernel may have dropped the pages, a second try would lie. */
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
  // Windows puts directory entries on the disk by itself and can't be asked.
  if (process.platform === "win32") return;
  const descriptor = openSync(nodeFs.realPath(stream.node), "r");
  try {
    syncFile(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
