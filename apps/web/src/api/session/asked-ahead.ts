/** Prefetched GET responses, used once; dropped when data changes or another user signs in. */
const responses = new Map<string, Promise<Response>>();

/** Prefetches a response; a failed request rejects only for the caller of `takeAhead`. */
export function keepAhead(path: string, ask: () => Promise<Response>): void {
  const response = ask();
  response.catch(() => {});
  responses.set(path, response);
}

export function takeAhead(path: string): Promise<Response> | undefined {
  const response = responses.get(path);
  responses.delete(path);
  return response;
}

export const dropAhead = (): void => responses.clear();
