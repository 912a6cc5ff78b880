/**
 * Who may look into the preview inbox: a browser on this very machine, and nothing that came through a proxy. The Host
 * must be a local name as well, or a foreign page could point its own name at 127.0.0.1 and read along (DNS rebinding).
 */
import type { IncomingHttpHeaders } from "node:http";

export interface PreviewRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}

// Any header by which a proxy tells whom it speaks for.
const FORWARDING =
  /^(?:x-forwarded.*|forwarded|via|x-real-ip|x-client-ip|x-original-.*|true-client-ip|cf-connecting-ip|fastly-client-ip)$/;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/;
const LOCAL_HOST = /^(?:localhost|[a-z0-9.-]+\.localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]+)?$/i;

/** @param ownHost host and port of `KAUKE_PUBLIC_URL`, taken as a local name too: the socket still has to be loopback */
export function isPreviewAllowed(request: PreviewRequest, ownHost?: string): boolean {
  const { headers, socket } = request;
  if (!LOOPBACK.test(socket.remoteAddress ?? "")) return false;
  if (Object.keys(headers).some((name) => FORWARDING.test(name))) return false;
  return LOCAL_HOST.test(headers.host ?? "") || (ownHost !== undefined && headers.host === ownHost);
}
