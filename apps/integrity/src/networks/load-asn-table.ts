import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeAsnFile, encodeAsnFile, type AsnData } from './asn-file.js';
import { AsnTable } from './asn-table.js';
import { compileAsn, readAsnCsvs } from './compile-asn.js';
import { readMmdb } from './mmdb.js';

const IPV4_CSV = 'asn-ipv4-num.csv';
const IPV6_CSV = 'asn-ipv6-num.csv';

/** The table that was loaded, and what is to be said about it. */
export interface LoadedAsnTable {
  table: AsnTable;
  /** Lines of the source that could not be read; 0 when the compiled file was at hand. */
  badLines: number;
}

/**
 * Loads the ASN data: the compiled file in `directory`, by default `dist/`, which is made again when the files it was made
 * of have changed: two CSV files, or else a MaxMind DB `*.mmdb`, in the folder or by default in the installed package.
 * Without them the compiled file in `dist/` counts as it is.
 *
 * @throws Error when there is neither, or the MaxMind DB is none
 */
export function loadAsnTable(directory?: string): LoadedAsnTable {
  const source = directory === undefined ? packageDirectory() : resolve(directory);
  const file = compiledFile(directory);
  const compiled = existsSync(file) ? decodeAsnFile(readFileSync(file)) : undefined;
  const files = source === undefined ? [] : sourceFiles(source);
  if (files.length === 0) {
    if (compiled !== undefined && directory === undefined) return { table: new AsnTable(compiled), badLines: 0 };
    throw new Error(
      `There are no ASN data: ${join(source ?? '@ip-location-db/asn', IPV4_CSV)} and ${IPV6_CSV} are missing, and there is no MaxMind DB`,
    );
  }
  const stamp = stampOf(files);
  if (compiled?.stamp === stamp) return { table: new AsnTable(compiled), badLines: 0 };
  const { badLines, ...content } = compileFiles(files);
  const data = { stamp, ...content };
  keep(file, encodeAsnFile(data));
  return { table: new AsnTable(data), badLines };
}

/** The two CSV files, or one MaxMind DB, or nothing. */
function sourceFiles(directory: string): string[] {
  const csvs = [IPV4_CSV, IPV6_CSV].map((name) => join(directory, name));
  if (csvs.every((path) => existsSync(path))) return csvs;
  const mmdb = existsSync(directory) ? readdirSync(directory).find((name) => name.endsWith('.mmdb')) : undefined;
  return mmdb === undefined ? [] : [join(directory, mmdb)];
}

function compileFiles([first = '', second]: readonly string[]): Omit<AsnData, 'stamp'> & { badLines: number } {
  if (second === undefined) {
    const { dataDate, ...source } = readMmdb(readFileSync(first));
    return { dataDate, columns: compileAsn(source), badLines: 0 };
  }
  const { badLines, ...source } = readAsnCsvs(readFileSync(first), readFileSync(second));
  return { dataDate: dataDateOf(dirname(first)), columns: compileAsn(source), badLines };
}

function packageDirectory(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve('@ip-location-db/asn/package.json'));
  } catch {
    return undefined;
  }
}

/** `asn.bin` in `dist/`, wherever this code runs from; that of another folder lies in it. */
function compiledFile(directory: string | undefined): string {
  if (directory !== undefined) return join(directory, 'asn.bin');
  const top = fileURLToPath(new URL('../../../..', import.meta.url));
  return join(basename(top) === 'dist' ? top : join(top, 'dist'), 'asn.bin');
}

function stampOf(files: readonly string[]): string {
  const marks = files.map((path) => {
    const { size, mtimeMs } = statSync(path);
    return `${basename(path)} ${size} ${mtimeMs}`;
  });
  return marks.join(', ');
}

/** The package carries its date in the version, `2.3.2026061719`; other folders have that of their file. */
function dataDateOf(source: string): string {
  const manifest = join(source, 'package.json');
  const { version = '' } = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string })
    : {};
  const [, year, month, day] = /\.(\d{4})(\d{2})(\d{2})\d{0,2}$/.exec(version) ?? [];
  return year !== undefined && month !== undefined && day !== undefined
    ? `${year}-${month}-${day}`
    : statSync(join(source, IPV4_CSV)).mtime.toISOString().slice(0, 10);
}

/** Several processes may start at once: each writes its own file and moves it into place. A read-only disk is no error. */
function keep(file: string, bytes: Uint8Array): void {
  const written = `${file}.${randomUUID()}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(written, bytes);
    renameSync(written, file);
  } catch {
    rmSync(written, { force: true });
  }
}
