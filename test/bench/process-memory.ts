import { readFileSync } from 'node:fs';

/** Megabytes (10^6) that the process has held at most. */
export function peakMemory(pid: number): number {
  return memory(pid, 'VmHWM');
}

/** Megabytes (10^6) that the process holds. */
export function currentMemory(pid: number): number {
  return memory(pid, 'VmRSS');
}

/** @throws Error where there is no /proc */
export function requireProc(): void {
  if (process.platform !== 'linux') throw new Error('Memory is read from /proc: this needs Linux.');
}

function memory(pid: number, member: 'VmHWM' | 'VmRSS'): number {
  const [, kibibytes] =
    new RegExp(`^${member}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kibibytes) * 1_024) / 1e6;
}
