/**
 * Answers to GET requests that a page will make, asked for while its chunk is still on its way. Each is handed out once, and none
 * after something was changed or somebody else has signed in.
 */
const answers = new Map<string, Promise<Response>>();

/** @param ask makes the request; a failure is told to who takes the answer */
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
