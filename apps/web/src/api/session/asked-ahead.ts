/**
 * Prefetched responses of GET requests that a page will make, requested while its chunk is still loading. Each is
 * handed out once, and none after data has changed or another user has signed in.
 */
const answers = new Map<string, Promise<Response>>();

/** Starts a request ahead. @param ask makes it; if it fails, the caller that takes the response gets the rejection */
export function keepAhead(path: string, ask: () => Promise<Response>): void {
  const answer = ask();
  answer.catch(() => {});
  answers.set(path, answer);
}

export function takeAhead(path: string): Promise<Response> | undefined {
  const answer = answers.get(path);
  answers.delete(path);
  return answer;
}

export const dropAhead = (): void => answers.clear();
