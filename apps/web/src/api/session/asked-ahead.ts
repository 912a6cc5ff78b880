/** Prefetched GET responses, used once; dropped when data changes or another user signs in. */
const answers = new Map<string, Promise<Response>>();

/** If the request fails, whoever takes the response gets the rejection. */
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
