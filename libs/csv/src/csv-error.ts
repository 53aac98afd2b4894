export type InputFileErrorCode = 'malformed_csv' | 'invalid_encoding' | 'invalid_json';

/** Where in the input the fault is; what is not known is left out. */
export interface InputPosition {
  /** Record number as the report counts it: comments and empty lines left out, the first record of a CSV file is 1. */
  line?: number;
  /** Physical line of the file, the first is 1. Absent for JSON. */
  fileLine?: number;
}

/** The file as a whole cannot be read. The message is one sentence that may be shown to the sender. */
export class InputFileError extends Error {
  readonly line?: number;
  readonly fileLine?: number;

  constructor(
    readonly code: InputFileErrorCode,
    message: string,
    position: InputPosition = {},
  ) {
    super(message);
    this.name = 'InputFileError';
    if (position.line !== undefined) this.line = position.line;
    if (position.fileLine !== undefined) this.fileLine = position.fileLine;
  }
}
