/** In every process of a test run: databases in memory begin with the dump that `empty-database.ts` has made. */
import { join } from "node:path";
import { tellInMemoryDump } from "@kauke/server/store/embedded/in-memory-dump";

const { EMPTY_DATABASE: folder } = process.env;
if (folder !== undefined) tellInMemoryDump(join(folder, "dump.tar"));
