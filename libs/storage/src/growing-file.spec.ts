import { describe, expect, it } from '@jest/globals';
import { GrowingFile } from './growing-file.js';

describe('a growing file', () => {
  it('lets its reader wait for bytes, and for its end', async () => {
    const file = new GrowingFile('path');
    file.grow(5);
    expect(await file.reach(5)).toEqual({ bytes: 5, isWhole: false });
    const [some, all] = [file.reach(6), file.reach(Infinity)];
    file.grow(4);
    expect(await some).toEqual({ bytes: 9, isWhole: false });
    file.end();
    expect(await all).toEqual({ bytes: 9, isWhole: true });
    expect(await file.reach(1)).toEqual({ bytes: 9, isWhole: true });
  });

  it('fails its readers when it breaks, whatever it has', async () => {
    const file = new GrowingFile('path');
    file.grow(5);
    const waiting = file.reach(6);
    const reason = new Error('the query failed');
    file.break(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(file.reach(1)).rejects.toBe(reason);
  });

  it('lets a reader go whose signal fires', async () => {
    const file = new GrowingFile('path');
    const abort = new AbortController();
    const waiting = file.reach(1, abort.signal);
    const reason = new Error('stopped');
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });
});
