import { constantAnswer, type ConstantAnswer } from './constant-answer.js';

/**
 * The documents as they are served, each built at the first request. It gets the builders handed in, because the OpenAPI
 * document describes the controller that serves it.
 */
export class PublishedDocuments {
  private readonly made = new Map<() => object, ConstantAnswer>();

  constructor(
    private readonly buildOpenApi: () => object,
    private readonly buildAsyncApi: () => object,
  ) {}

  openApi(): ConstantAnswer {
    return this.answer(this.buildOpenApi);
  }

  asyncApi(): ConstantAnswer {
    return this.answer(this.buildAsyncApi);
  }

  private answer(build: () => object): ConstantAnswer {
    const known = this.made.get(build);
    if (known !== undefined) return known;
    const answer = constantAnswer('application/json; charset=utf-8', JSON.stringify(build()));
    this.made.set(build, answer);
    return answer;
  }
}
