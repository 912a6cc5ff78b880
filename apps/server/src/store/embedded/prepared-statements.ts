/** A prepared statement enters the WASM module once instead of six times, and takes a tenth of the time. */
import { messages, PGlite, parse, protocol } from "@electric-sql/pglite";
import { isPreparedQuery, statementName } from "../prepared-query.ts";

/** Uses before a statement is parsed again: PostgreSQL keeps a plan made for a table of ten rows until ANALYZE. */
const USES_MAX = 1000;

interface Statement {
  name: string;
  parameterTypes: readonly number[];
  description: readonly Message[];
  uses: number;
}

interface Backend {
  pglite: PGlite;
  onNotification(message: { channel: string; payload: string }): void;
}

type Message = Parameters<typeof parse.parseResults>[0][number];

/** @param onNotification PGlite calls its listeners for its own queries only */
export function addPreparedStatements(pglite: PGlite, onNotification: Backend["onNotification"] = () => {}): void {
  const statements = new Map<string, Statement>();
  const query = <Row>(...args: Parameters<typeof pglite.query<Row>>) =>
    PGlite.prototype.query.apply(pglite, args) as ReturnType<typeof pglite.query<Row>>;
  pglite.query = async <Row>(...args: Parameters<typeof pglite.query<Row>>) => {
    const [text, values = []] = args;
    const result = isPreparedQuery(text)
      ? await runPrepared<Row>({ pglite, onNotification }, statements, { text, values })
      : null;
    return result ?? (await query<Row>(...args));
  };
}

interface Run {
  text: string;
  values: readonly unknown[];
}

/** @returns `null` if the query has to run unprepared, which gives the right result or error */
async function runPrepared<Row>(backend: Backend, statements: Map<string, Statement>, { text, values }: Run) {
  const { pglite } = backend;
  return await pglite.runExclusive(async () => {
    try {
      // In somebody's transaction the statement would see uncommitted rows, and its failure would end it.
      if (pglite.isInTransaction()) return null;
      const known = statements.get(text);
      const statement = known !== undefined && known.uses < USES_MAX ? known : await prepare(backend, text);
      statement.uses++;
      const bound = boundValues(pglite, statement, values);
      const response = await execute(backend, statement, bound).catch((error: unknown) => {
        // A DatabaseError changed nothing. After any other failure the statement may have, so it is not repeated.
        if (error instanceof messages.DatabaseError) throw error;
        throw new NotRepeatable(error);
      });
      statements.set(text, statement);
      return parse.parseResults([...statement.description, ...response], pglite.parsers, { rowMode: "object" })[0] as {
        rows: Row[];
        fields: { name: string; dataTypeID: number }[];
      };
    } catch (error) {
      statements.delete(text);
      if (error instanceof NotRepeatable) throw error.cause;
      return null;
    }
  });
}

async function prepare(backend: Backend, text: string): Promise<Statement> {
  const name = statementName(text);
  const { close, parse: parseText, describe, sync } = protocol.serialize;
  // Closing an unknown statement is no error.
  const request = [close({ type: "S", name }), parseText({ name, text }), describe({ type: "S", name }), sync()];
  const response = await exchange(backend, request);
  const parameters = response.find((message) => message instanceof messages.ParameterDescriptionMessage);
  const description = response.filter((message) => message instanceof messages.RowDescriptionMessage);
  return { name, parameterTypes: parameters?.dataTypeIDs ?? [], description, uses: 0 };
}

class NotRepeatable extends Error {
  constructor(cause: unknown) {
    super("", { cause });
  }
}

type BoundValues = (string | Uint8Array | null)[];

function boundValues(pglite: PGlite, statement: Statement, parameters: readonly unknown[]): BoundValues {
  return parameters.map((value, index) => {
    if (value === null || value === undefined || value instanceof Uint8Array) return value ?? null;
    const serialize = pglite.serializers[statement.parameterTypes[index] ?? 0];
    // Parameters whose type has no serializer, such as uuid, go as text.
    if (serialize === undefined && typeof value === "string") return value;
    if (serialize === undefined) throw new TypeError("the type of a parameter has no serializer");
    return serialize(value);
  });
}

function execute(backend: Backend, statement: Statement, values: BoundValues): Promise<Message[]> {
  const { bind, execute: run, sync } = protocol.serialize;
  return exchange(backend, [bind({ statement: statement.name, values }), run({}), sync()]);
}

/** The messages end with a sync, after which the database is ready even if one failed. @throws DatabaseError */
async function exchange({ pglite, onNotification }: Backend, request: readonly Uint8Array[]): Promise<Message[]> {
  const parser = new protocol.Parser();
  const response: Message[] = [];
  const onRawData = (bytes: Uint8Array) => parser.parse(bytes, (message) => response.push(message));
  await pglite.execProtocolRawStream(Buffer.concat(request), { syncToFs: false, onRawData });
  for (const message of response) if (message instanceof messages.NotificationResponseMessage) onNotification(message);
  const error = response.find((message) => message instanceof messages.DatabaseError);
  if (error !== undefined) throw error;
  return response;
}
