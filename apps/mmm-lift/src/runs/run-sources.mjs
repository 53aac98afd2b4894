/**
 * Lets a thread of a test run TypeScript: `--import` this file. Only tests do; the build does not contain it, and its
 * compiler is a development dependency.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';

const OPTIONS = {
  swcrc: false,
  module: { type: 'es6' },
  sourceMaps: 'inline',
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

// Node runs hooks in a thread of their own, from this very file.
const asHooks = `${import.meta.url}?hooks`;
if (!import.meta.url.endsWith('?hooks')) register(asHooks);

let swc;

export async function resolve(specifier, context, next) {
  const source = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  return next(source ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts') || url.includes('/node_modules/')) return next(url, context);
  swc ??= await import('@swc/core');
  const filename = fileURLToPath(url);
  const { code } = await swc.transform(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
  return { format: 'module', source: code, shortCircuit: true };
}
