import { IsInt, IsNumber, Max, Min } from 'class-validator';
import { Setting } from '#runtime/config.js';

export class ModelingConfig {
  @Setting(
    'Seconds after a cost import or a lift test until the models of the asset are fitted; a further one starts the time anew',
  )
  @IsNumber()
  @Min(0)
  MODEL_DEBOUNCE_SECONDS = 60;

  @Setting('Seconds after the first import by which further imports put off a model at most')
  @IsNumber()
  @Min(0)
  MODEL_DEBOUNCE_MAX_SECONDS = 600;

  @Setting('How long one start of a model run or a lift test may take before it fails, in milliseconds')
  @IsInt()
  @Min(100)
  MODEL_TIMEOUT_MS = 120_000;

  @Setting('Threads that fit models and evaluate lift tests')
  @IsInt()
  @Min(1)
  @Max(64)
  MODEL_WORKERS = 2;
}
