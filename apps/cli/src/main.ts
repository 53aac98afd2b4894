#!/usr/bin/env node
import './quiet-logs.js';
import { run } from './run.js';

// `tallyport … | head` closes the pipe early, which is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const { code, stdout, stderr } = await run(process.argv.slice(2), process.env);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = code;
