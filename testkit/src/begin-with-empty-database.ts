/** Run in every process of a test run: databases in memory start with the dump made by `empty-database.ts`. */
import { join } from "node:path";
import { setInMemoryDump } from "@kauke/server/store/embedded/embedded-database";

const { EMPTY_DATABASE: folder } = process.env;
if (folder !== undefined) setInMemoryDump(join(folder, "dump.tar"));
