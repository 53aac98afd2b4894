import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { COLLECT_MAX_LINE_BYTES } from '#contracts/collect/collect-report.js';
import { BodyLines } from './body-lines.js';

/** Line number and text of each line that is not empty, of a body that comes in these chunks. */
function linesOf(chunks: readonly Buffer[]): [number, string | undefined][] {
  const lines = new BodyLines();
  const read = chunks.flatMap((chunk) => [...lines.cut(chunk)]);
  return [...read, ...lines.end()].map(({ line, bytes }) => [line, bytes?.toString('latin1')]);
}

describe('the lines of a body', () => {
  it('are those between line feeds, without white space around them and without the empty ones', () => {
    const body = Buffer.from('\ufeff {"a":1}\r\n\n \t\r\r\n{"b":2}\n\ufeff{}\n[\u00a0]');
    expect(linesOf([body])).toEqual([
      [1, '{"a":1}'],
      [4, '{"b":2}'],
      [5, Buffer.from('\ufeff{}').toString('latin1')],
      [6, Buffer.from('[\u00a0]').toString('latin1')],
    ]);
  });

  it('are the same however the body is cut into chunks', () => {
    const body = fc
      .array(fc.constantFrom('\n', '\r', ' ', '\t', '{', '}', 'é', '\ufeff', '\0'), { maxLength: 40 })
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(body, fc.array(fc.nat(60), { maxLength: 8 }), (bytes, cuts) => {
        const borders = [0, ...cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = borders.slice(1).map((border, index) => bytes.subarray(borders[index], border));
        expect(linesOf(chunks)).toEqual(linesOf([bytes]));
      }),
      { numRuns: 2000 },
    );
  });

  it('are not kept when they are too long, however they come', () => {
    const most = Buffer.alloc(COLLECT_MAX_LINE_BYTES, 'x');
    const end = Buffer.from('\n{}');
    const read = linesOf([most, end, Buffer.from('\n'), most, Buffer.from('x'), end]);
    expect(read.map(([line, text]) => [line, text?.length])).toEqual([
      [1, COLLECT_MAX_LINE_BYTES],
      [2, 2],
      [3, undefined],
      [4, 2],
    ]);
  });
});
