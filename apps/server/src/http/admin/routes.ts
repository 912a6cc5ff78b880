/** Calls of the admin page. Their handlers are those of the `kauke` command (cli/control/admin-handlers.ts). */
import { type AdminEndpointName, type AdminHandlers, adminEndpoints, type Endpoint } from "@kauke/contract";
import { AppError } from "../../core/app-error.ts";
import { type MountedCall, notFoundText } from "../mount-endpoints.ts";

type AnyAdminHandler = (call: object) => Promise<unknown>;

export function adminCalls(handlers: AdminHandlers): MountedCall[] {
  return (Object.keys(adminEndpoints) as AdminEndpointName[]).map((name) => {
    const endpoint: Endpoint = adminEndpoints[name];
    const handle = handlers[name] as AnyAdminHandler;
    const [param = ""] = Object.keys(endpoint.params?.shape ?? {});
    return {
      endpoint,
      isOfWorker: false,
      handler: async ({ userId, params, query, body }) => {
        const response = await handle({ userId, params, query, body });
        if (response === null) throw new AppError("not_found", { message: notFoundText(param) });
        return response;
      },
    };
  });
}
