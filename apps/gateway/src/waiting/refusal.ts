import { AppError, problemOf, type Problem } from '#contracts/errors.js';

/** The problem that a job has ended with, as the answer to whom has waited for it. */
export function refusal(problem: Problem, headers: Record<string, string> = {}): AppError {
  const { code, detail, type: _type, title, status: _status, ...extensions } = problem;
  return new AppError(code, detail ?? `${title}.`, { extensions, headers });
}

/** What was not foreseen is told to nobody but the log. */
export function isUnforeseen({ code }: Problem): boolean {
  return code === problemOf('internal').code;
}
