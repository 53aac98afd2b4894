import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LastingHash } from './lasting-hash.js';

function hashOf(text: string, leaveOut: string, pieceBytes = 7): string {
  const hash = new LastingHash(leaveOut);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) hash.add(bytes.subarray(at, at + pieceBytes));
  return hash.digest().toString('hex');
}
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('LastingHash', () => {
  it('leaves the text out, wherever the pieces end', () => {
    for (const pieceBytes of [1, 2, 5, 1000])
      expect(hashOf('# Generated: 08:00é\nrows', '08:00é', pieceBytes)).toBe(sha256('# Generated: \nrows'));
  });

  it('leaves it out once', () => {
    expect(hashOf('t t t', 't')).toBe(sha256(' t t'));
  });

  it('is the same for two makings of one content, and another for another', () => {
    const rows = 'x,y\n'.repeat(50_000);
    const [first, second] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
    expect(hashOf(`# ${first}\n${rows}`, first, 30_000)).toBe(hashOf(`# ${second}\n${rows}`, second, 65_536));
    expect(hashOf(`# ${first}\n${rows}`, first)).not.toBe(hashOf(`# ${first}\n${rows}z`, first));
  });

  it('fails for a file without the text in its first 64 KiB', () => {
    expect(() => hashOf('abc', 'x')).toThrow('time of making');
    expect(() => hashOf(`${'a'.repeat(70_000)}x`, 'x')).toThrow('time of making');
  });
});
