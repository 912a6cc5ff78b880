/** The HTTP server of the tests with the calls of the admin page, and an admin's account. */
import { adminHandlers } from "../../cli/control/admin-handlers.ts";
import { audited } from "../../cli/control/audited.ts";
import type { ControlHandlers } from "../../cli/control/control-protocol.ts";
import { controlHandlers, type ServerView } from "../../cli/control/server-facts.ts";
import { limitNames } from "../../limits/named-limits.ts";
import { systemRandom } from "../../runtime/ports.ts";
import { readConfig } from "../../settings/read-config.ts";
import { openStore } from "../../store/open-store.ts";
import { startTestServer, TestClock, type TestServer, type TestServerOptions, Visitor } from "../test/test-server.ts";

export interface AdminServer extends TestServer {
  control: ControlHandlers;
  /** Registers an account and grants it the right. */
  newAdmin(email?: string): Promise<Visitor>;
}

interface AdminServerOptions extends TestServerOptions {
  /** Settings of the control calls, by name of the variable. */
  env?: Record<string, string>;
  /** Replaces some of the control calls. */
  replace?: (control: ControlHandlers) => Partial<ControlHandlers>;
  view?: Partial<ServerView>;
}

export async function startAdminServer(options: AdminServerOptions = {}): Promise<AdminServer> {
  const { env = {}, replace = () => ({}), view = {}, ...others } = options;
  const clock = new TestClock();
  const store = others.store ?? (await openStore({ databaseUrl: null, dataDir: null, secretKey: null, clock }));
  const { config } = readConfig(env, "/tmp", limitNames);
  const common = {
    config,
    store,
    clock,
    random: systemRandom,
    resolver: null,
    issuer: null,
    provider: null,
    ports: {},
  };
  const real = controlHandlers({ ...common, ...view });
  const control = { ...real, ...replace(real) };
  const log = (event: string) => void server.logged.push({ event });
  const server: TestServer = await startTestServer({
    ...others,
    store,
    clock,
    admin: adminHandlers({
      controlBy: (by) => audited(control, by, (act) => store.operator.recordAct(act)),
      limits: config.limits,
      logger: { info: log, warn: log, error: log },
    }),
  });
  return {
    ...server,
    clock,
    control,
    newAdmin: async (email) => {
      const admin = await new Visitor(server).register(email);
      await control["users-admin"]({ userId: admin.userId, isAdmin: true });
      return admin;
    },
    close: async () => {
      await server.close();
      if (others.store === undefined) await store.close();
    },
  };
}
