/** How threads come into being. */
export interface ThreadStart {
  entry: URL;
  /** The module whose `FIT_TASKS` they run. */
  tasks: URL;
  /** Flags of Node; without any they get those of the process. */
  execArgv?: string[];
}

/**
 * Threads run what runs here: the build, or under a test runner the sources, which a compiler translates on the way.
 * A thread from a build beside tested sources would test what was built last.
 */
export function threadStart(): ThreadStart {
  if (!import.meta.url.endsWith('.ts'))
    return { entry: new URL('./fit-thread.js', import.meta.url), tasks: new URL('./fit-tasks.js', import.meta.url) };
  return {
    entry: new URL('./fit-thread.ts', import.meta.url),
    tasks: new URL('./fit-tasks.ts', import.meta.url),
    execArgv: ['--conditions=source', `--import=${new URL('./run-sources.mjs', import.meta.url).href}`],
  };
}
