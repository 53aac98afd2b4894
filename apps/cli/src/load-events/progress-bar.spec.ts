import { expect, it } from '@jest/globals';
import { ProgressBar } from './progress-bar.js';

function terminal(isTTY: boolean): { isTTY: boolean; write: (text: string) => boolean; written: string[] } {
  const written: string[] = [];
  return { isTTY, written, write: (text) => written.push(text) > 0 };
}

it('is drawn over in one line of a terminal, at most ten times a second, and leaves nothing', () => {
  const out = terminal(true);
  const bar = new ProgressBar(200, out);
  bar.show(100, '7 accepted');
  bar.show(150, '8 accepted');
  bar.clear();
  expect(out.written).toEqual([`\r[${'#'.repeat(15)}${'-'.repeat(15)}]  50 %  7 accepted\u001b[K`, '\r\u001b[K']);
});

it('is never over 100 %, also for a file that grows or is empty', () => {
  for (const bytes of [0, 100]) {
    const out = terminal(true);
    new ProgressBar(bytes, out).show(300, '');
    expect(out.written[0]).toContain('100 %');
  }
});

it('says nothing where no terminal is', () => {
  const out = terminal(false);
  const bar = new ProgressBar(200, out);
  bar.show(100, '');
  bar.clear();
  expect(out.written).toEqual([]);
});
