import { TokenType } from '@streamparser/json';
import { InputFileError } from './csv-error.js';

/** Deeper is refused: no cost row nests, and a body of 100,000 `[` is an attack. */
const MAX_DEPTH = 64;
/** As for a CSV record, so that one row cannot fill the memory; counted in characters of keys and values. */
export const MAX_ROW_CHARACTERS = 65_536;

const FIRST_ROW_LINE = 2;

export interface JsonRow {
  /** The first row is 2, as if a header stood above it. */
  line: number;
  /** Keys and values in file order, duplicates included; null: the row is no object. */
  members: ReadonlyArray<readonly [key: string, value: string | null]> | null;
}

type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';

/**
 * Follows the tokens of `{"rows":[…]}` and gives each row as soon as it ends. Not TokenParser of the same library: that
 * builds objects, in which duplicate keys and the order of keys like `"1"` are lost.
 */
export class JsonRowsGrammar {
  private readonly containers: ('object' | 'array')[] = [];
  private expected: Expected = 'value';
  private rootKey = '';
  private hasRows = false;
  private line = FIRST_ROW_LINE - 1;
  private members: [string, string | null][] | null = null;
  private memberKey = '';
  private memberText = '';
  private rowCharacters = 0;

  constructor(private readonly onRow: (row: JsonRow) => void) {}

  /** `value` is the text of a string (unescaped) or of a number (as written). */
  token(type: TokenType, value: string): void {
    switch (type) {
      case TokenType.LEFT_BRACE:
        this.open('object');
        break;
      case TokenType.LEFT_BRACKET:
        this.open('array');
        break;
      case TokenType.RIGHT_BRACE:
        this.close('object');
        break;
      case TokenType.RIGHT_BRACKET:
        this.close('array');
        break;
      case TokenType.COLON:
        this.colon();
        break;
      case TokenType.COMMA:
        this.comma();
        break;
      case TokenType.STRING:
        if (this.expected === 'key' || this.expected === 'key-or-end') this.key(value);
        else this.scalar(value, JSON.stringify(value));
        break;
      case TokenType.NUMBER:
        this.scalar(value, value);
        break;
      case TokenType.NULL:
        this.scalar(null, 'null');
        break;
      case TokenType.TRUE:
        this.scalar('true', 'true');
        break;
      case TokenType.FALSE:
        this.scalar('false', 'false');
        break;
      case TokenType.SEPARATOR:
        throw this.fault('The body is no valid JSON');
    }
  }

  /** Call it at the end of the body. */
  end(): void {
    if (this.expected !== 'nothing') throw this.fault('The JSON body ends too early');
    if (!this.hasRows) throw this.fault('The JSON object has no member "rows"');
  }

  /** An `invalid_json` that names the row, once there is one. */
  fault(what: string): InputFileError {
    if (this.line < FIRST_ROW_LINE) return new InputFileError('invalid_json', `${what}.`);
    return new InputFileError('invalid_json', `${what} (at or after row line ${this.line}).`, { line: this.line });
  }

  private get depth(): number {
    return this.containers.length;
  }

  /** Inside the array that is the value of the root's `rows`. */
  private get isInRows(): boolean {
    return this.depth >= 2 && this.rootKey === 'rows';
  }

  private open(container: 'object' | 'array'): void {
    this.beginValue(container);
    if (this.isInRows && this.depth === 2) this.beginRow(container === 'object');
    else if (this.isInRows) this.addText(container === 'object' ? '{' : '[');
    if (this.depth === MAX_DEPTH) throw this.fault('The JSON body is nested too deeply');
    this.containers.push(container);
    this.expected = container === 'object' ? 'key-or-end' : 'value-or-end';
  }

  private close(container: 'object' | 'array'): void {
    const isEmpty = this.expected === (container === 'object' ? 'key-or-end' : 'value-or-end');
    const isOpen = this.containers[this.depth - 1] === container;
    if (!isOpen || (!isEmpty && this.expected !== 'comma-or-end')) throw this.fault('The body is no valid JSON');
    const wasInRows = this.isInRows;
    this.containers.pop();
    this.expected = this.depth === 0 ? 'nothing' : 'comma-or-end';
    if (!wasInRows || this.depth < 2) return;
    if (this.depth === 2) {
      this.endRow();
      return;
    }
    this.addText(container === 'object' ? '}' : ']');
    if (this.depth === 3) this.endMember(this.memberText);
  }

  private scalar(value: string | null, json: string): void {
    this.beginValue('scalar');
    this.expected = 'comma-or-end';
    if (!this.isInRows) return;
    if (this.depth === 2) {
      this.beginRow(false);
      this.endRow();
    } else if (this.depth === 3) {
      this.count(value ?? '');
      this.endMember(value);
    } else this.addText(json);
  }

  private key(key: string): void {
    this.expected = 'colon';
    if (this.depth === 1) this.rootKey = key;
    if (!this.isInRows) return;
    if (this.depth > 3) {
      this.addText(JSON.stringify(key));
      return;
    }
    this.count(key);
    this.memberKey = key;
    this.memberText = '';
  }

  private colon(): void {
    if (this.expected !== 'colon') throw this.fault('The body is no valid JSON');
    this.expected = 'value';
    if (this.isInRows && this.depth > 3) this.addText(':');
  }

  private comma(): void {
    if (this.expected !== 'comma-or-end') throw this.fault('The body is no valid JSON');
    this.expected = this.containers[this.depth - 1] === 'object' ? 'key' : 'value';
    if (this.isInRows && this.depth > 3) this.addText(',');
  }

  private beginValue(kind: 'object' | 'array' | 'scalar'): void {
    if (this.expected !== 'value' && this.expected !== 'value-or-end') {
      throw this.fault(this.expected === 'nothing' ? 'Text follows the JSON object' : 'The body is no valid JSON');
    }
    if (this.depth === 0 && kind !== 'object') throw this.fault('The body is no JSON object');
    if (this.depth !== 1 || this.rootKey !== 'rows') return;
    if (this.hasRows) throw this.fault('The member "rows" is given twice');
    if (kind !== 'array') throw this.fault('The member "rows" is no array');
    this.hasRows = true;
  }

  private beginRow(isObject: boolean): void {
    this.line++;
    this.rowCharacters = 0;
    this.members = isObject ? [] : null;
  }

  private endRow(): void {
    this.onRow({ line: this.line, members: this.members });
  }

  private endMember(value: string | null): void {
    this.members?.push([this.memberKey, value]);
  }

  private addText(text: string): void {
    this.count(text);
    if (this.members !== null) this.memberText += text;
  }

  private count(text: string): void {
    this.rowCharacters += text.length;
    if (this.rowCharacters > MAX_ROW_CHARACTERS) {
      throw this.fault(`A row has more than ${MAX_ROW_CHARACTERS} characters`);
    }
  }
}
