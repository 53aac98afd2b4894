/** Something that keeps a ledger from being verified. */
export interface Finding {
  /** A clause for people: «entry 7 does not have the hash of its body». */
  text: string;
  /** Of the entry at fault. */
  seq?: number;
  /** The evidence was changed; else it only can't be verified now, as without a key or object storage. */
  breaks: boolean;
}

/** More of them say nothing new. */
const MAX_FINDINGS = 100;

/** What was found, without end but not without limit. */
export class Findings {
  readonly list: Finding[] = [];
  private breaking = 0;
  private total = 0;

  add(finding: Finding): void {
    this.total++;
    if (finding.breaks) this.breaking++;
    if (this.list.length < MAX_FINDINGS) this.list.push(finding);
  }

  /** Noted as a change of the evidence. */
  broken(text: string): void {
    this.add({ text, breaks: true });
  }

  /** Noted as something that can't be verified now. */
  open(text: string): void {
    this.add({ text, breaks: false });
  }

  get isEmpty(): boolean {
    return this.total === 0;
  }

  get isBroken(): boolean {
    return this.breaking > 0;
  }

  /** In one sentence: the first that breaks, or the first at all. */
  get summary(): string | undefined {
    const first = this.list.find(({ breaks }) => breaks) ?? this.list[0];
    if (first === undefined) return undefined;
    return this.total === 1 ? first.text : `${first.text}, and ${this.total - 1} more`;
  }
}
