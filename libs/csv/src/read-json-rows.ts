import { setImmediate } from 'node:timers/promises';
import { Tokenizer, TokenType } from '@streamparser/json';
import { InputFileError } from './csv-error.js';
import { type JsonRow, JsonRowsGrammar, MAX_ROW_CHARACTERS } from './json-rows-grammar.js';
import { type CheckedText, checkUtf8, encodingFaultText } from './utf8.js';

export type { JsonRow } from './json-rows-grammar.js';

const PIECE_BYTES = 65_536;
const LONE_SURROGATE = /\p{Surrogate}/u;

export interface JsonBatch {
  rows: JsonRow[];
  /** Bytes of the source taken so far. */
  bytesRead: number;
}

/**
 * Reads the body `{"rows":[{…},…]}`; other members of the root are ignored. Values come as text: strings as they are,
 * numbers with the digits as written, booleans and nested values as JSON, null as null.
 *
 * Yields a batch for each chunk (64 KiB of it at most), which may be empty. Memory does not grow with the body. A body of
 * zero bytes gives one batch without rows: whether that is an error is the caller's business.
 * @throws InputFileError `invalid_json` or `invalid_encoding`, after the batches before the fault; errors of `source` as they are
 */
export async function* readJsonRows(source: AsyncIterable<Buffer>): AsyncGenerator<JsonBatch, void, undefined> {
  const reader = new JsonRowsReader();
  let bytesRead = 0;
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, at + PIECE_BYTES);
      bytesRead += piece.length;
      yield { rows: reader.read(piece), bytesRead };
      // A source in memory never waits for anything, and heartbeats would.
      await setImmediate();
    }
  }
  if (bytesRead > 0) reader.end();
  yield { rows: [], bytesRead };
}

class JsonRowsReader {
  private rows: JsonRow[] = [];
  private readonly grammar = new JsonRowsGrammar((row) => this.rows.push(row));
  // Partial tokens let a string be refused for its length before it is held as a whole.
  private readonly tokenizer = new LosslessTokenizer({ emitPartialTokens: true });
  private isAtStart = true;
  /** The first bytes of a character that the end of the last piece cut. */
  private cutCharacter: Buffer = Buffer.alloc(0);

  constructor() {
    this.tokenizer.onToken = ({ token, value, partial }) => {
      const text = String(value);
      if (token === TokenType.STRING || token === TokenType.NUMBER) this.checkString(text);
      if (partial !== true) this.grammar.token(token, text);
    };
  }

  /** The rows that end in this piece. */
  read(piece: Buffer): JsonRow[] {
    const bytes = this.cutCharacter.length === 0 ? piece : Buffer.concat([this.cutCharacter, piece]);
    const text = checkUtf8(bytes, 0, bytes.length, false, this.isAtStart);
    if (text.validTo > 0) this.isAtStart = false;
    // A fault before the bad byte is met first, wherever the chunks were cut.
    this.write(bytes.subarray(0, text.validTo));
    if (text.fault !== undefined) throw encodingError(text.fault);
    this.cutCharacter = Buffer.from(bytes.subarray(text.validTo));
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  end(): void {
    if (this.cutCharacter.length > 0) throw encodingError('not-utf-8');
    this.attempt(() => {
      this.tokenizer.end();
    });
    this.grammar.end();
  }

  private write(bytes: Buffer): void {
    this.attempt(() => {
      this.tokenizer.write(bytes);
    });
  }

  private attempt(tokenize: () => void): void {
    try {
      tokenize();
    } catch (error) {
      throw error instanceof InputFileError ? error : this.grammar.fault('The body is no valid JSON');
    }
  }

  private checkString(text: string): void {
    if (text.length > MAX_ROW_CHARACTERS) throw this.grammar.fault('A value is too long');
    if (text.includes('\0')) throw encodingError('nul');
    if (LONE_SURROGATE.test(text)) {
      throw new InputFileError('invalid_encoding', 'A JSON string contains half of a surrogate pair.');
    }
  }
}

/** JavaScript numbers would lose digits of amounts. */
class LosslessTokenizer extends Tokenizer {
  protected override parseNumber(digits: string): number {
    // The library types what it hands through as a number, and says to override this in order to keep strings.
    return digits as unknown as number;
  }
}

function encodingError(fault: NonNullable<CheckedText['fault']>): InputFileError {
  return new InputFileError('invalid_encoding', encodingFaultText(fault, ''));
}
