import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Release tags of MinIO are no module versions; this is the last commit of the archived repository. */
const MINIO_MODULE = 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c';

interface Tool {
  command: string;
  args: string[];
  /** Its first group is the version to compare. */
  version: RegExp;
  atLeast: number;
  sentence: string;
}

const JAVA: Tool = {
  command: 'java',
  args: ['-version'],
  version: /version "(\d+)/,
  atLeast: 17,
  sentence: 'Kafka needs Java 17 or newer: install a Java runtime (Debian: apt-get install openjdk-17-jre-headless).',
};
const MAVEN: Tool = {
  command: 'mvn',
  args: ['-v'],
  version: /Apache Maven (\d+)/,
  atLeast: 3,
  sentence: 'Maven fetches Kafka: install Apache Maven 3 (Debian: apt-get install maven).',
};
const GO: Tool = {
  command: 'go',
  args: ['version'],
  version: /go1\.(\d+)/,
  atLeast: 24,
  sentence: 'MinIO is built from source: install Go 1.24 or newer (https://go.dev/dl).',
};

/** Fetches Kafka's jars by Maven unless they are in `home`. @returns their folder. */
export async function fetchKafka(home: string, say: (line: string) => void): Promise<string> {
  requireTool(JAVA);
  const pom = join(projectRoot(), 'deploy', 'stack', 'kafka', 'pom.xml');
  const stamp = createHash('sha256').update(readFileSync(pom)).digest('hex');
  return fetchOnce(join(home, 'kafka'), stamp, async (draft) => {
    requireTool(MAVEN);
    say('Fetching Kafka (45 jars, 43 MB) …');
    // Maven wants its target folder beside the pom, and the project may be read-only.
    copyFileSync(pom, join(draft, 'pom.xml'));
    await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(draft, 'libs')}`], draft);
  });
}

/** Builds the MinIO server with Go unless it is in `home`. @returns the folder of the program `minio`. */
export function fetchMinio(home: string, say: (line: string) => void): Promise<string> {
  return fetchOnce(join(home, 'minio'), MINIO_MODULE, async (draft) => {
    requireTool(GO);
    say('Building MinIO from source (two to four minutes, once) …');
    const env = { ...process.env, GOBIN: draft, CGO_ENABLED: '0' };
    await run('go', ['install', '-trimpath', '-ldflags', '-s -w', MINIO_MODULE], tmpdir(), env);
  });
}

/** The folder of package.json: this file runs from the sources and from dist. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** A folder counts only with the stamp of the wanted version, which an interrupted fetch has not. */
async function fetchOnce(folder: string, stamp: string, build: (draft: string) => Promise<void>): Promise<string> {
  const isThere = () => existsSync(join(folder, 'stamp')) && readFileSync(join(folder, 'stamp'), 'utf8') === stamp;
  if (isThere()) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.`);
  try {
    await build(draft);
    writeFileSync(join(draft, 'stamp'), stamp);
    // Another process may have been faster; its result is as good.
    if (isThere()) return folder;
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
    return folder;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function requireTool({ command, args, version, atLeast, sentence }: Tool): void {
  let output: string;
  try {
    // java writes its version to stderr.
    output = execFileSync('/bin/sh', ['-c', '"$0" "$@" 2>&1', command, ...args], { encoding: 'utf8' });
  } catch {
    throw new Error(sentence);
  }
  if (Number(version.exec(output)?.[1] ?? 0) < atLeast) throw new Error(sentence);
}

/** @throws Error with the end of the program's output when it fails. */
async function run(command: string, args: string[], cwd: string, env = process.env): Promise<void> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0)
    throw new Error(`${command} ${args.join(' ')} failed:\n${output.trim().split('\n').slice(-10).join('\n')}`);
}
