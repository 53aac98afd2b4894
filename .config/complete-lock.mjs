// adds lock entries for optional platform packages that the registry in use does not serve
import { readFileSync, writeFileSync } from 'node:fs';
const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const p = lock.packages;
let added = 0;
for (const [at, meta] of Object.entries({ ...p })) {
  for (const [name, range] of Object.entries(meta.optionalDependencies ?? {})) {
    const nested = `${at}/node_modules/${name}`,
      top = `node_modules/${name}`;
    if (p[nested] || p[top]) continue;
    const m =
      /(android|darwin|freebsd|openharmony|linux|win32|windows|wasm32)-?(arm64|x64|ia32|arm|ppc64|s390x|riscv64|loong64|mips64el|wasi)?(?:-(?:eabi|\w*?(gnu|musl|msvc)\w*))?/.exec(
        name,
      ) ?? [];
    const entry = { version: range.replace(/^[\^~]/, '') };
    if (meta.dev) entry.dev = true;
    entry.optional = true;
    if (m[1] === 'wasm32' || /wasm32/.test(name)) entry.cpu = ['wasm32'];
    else {
      if (m[2]) entry.cpu = [m[2]];
      if (m[1]) entry.os = [m[1] === 'windows' ? 'win32' : m[1]];
    }
    if (/musl/.test(name)) entry.libc = ['musl'];
    else if (/linux.*gnu/.test(name)) entry.libc = ['glibc'];
    p[top] = entry;
    added++;
    console.log(top, JSON.stringify(entry));
  }
}
lock.packages = Object.fromEntries(Object.entries(p).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, JSON.stringify(lock, null, 2) + '\n');
console.log(added);
