import { describe, expect, it } from '@jest/globals';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { ConfigError, loadConfig, Setting, settingsOf } from './config.js';

class PumpConfig {
  @Setting('Where the pump is')
  @IsString()
  PUMP_PLACE: string;

  @Setting('Litres a minute')
  @IsInt()
  @Min(1)
  @Max(100)
  PUMP_LITRES = 10;

  @Setting('Whether it runs')
  PUMP_ON = false;
}

describe('loadConfig', () => {
  it('reads variables by the names and types of the class, and takes defaults for the rest', () => {
    expect(loadConfig(PumpConfig, { PUMP_PLACE: 'cellar', PUMP_LITRES: '25', PUMP_ON: 'true' })).toEqual({
      PUMP_PLACE: 'cellar',
      PUMP_LITRES: 25,
      PUMP_ON: true,
    });
    expect(loadConfig(PumpConfig, { PUMP_PLACE: 'cellar', PUMP_LITRES: '' })).toMatchObject({ PUMP_LITRES: 10 });
  });

  it.each([
    [{}, 'Wrong configuration: PUMP_PLACE is not set: PUMP_PLACE must be a string.'],
    [{ PUMP_PLACE: 'cellar', PUMP_LITRES: 'ten' }, 'Wrong configuration: PUMP_LITRES must be a number.'],
    [{ PUMP_PLACE: 'cellar', PUMP_LITRES: '101' }, 'Wrong configuration: PUMP_LITRES must not be greater than 100.'],
  ])('says in one sentence what is wrong with %j', (environment, sentence) => {
    expect(() => loadConfig(PumpConfig, environment)).toThrow(new ConfigError(sentence));
  });

  it('lists the settings in the order of the source', () => {
    expect(settingsOf(PumpConfig).map(({ name, default: fallback }) => [name, fallback])).toEqual([
      ['PUMP_PLACE', undefined],
      ['PUMP_LITRES', 10],
      ['PUMP_ON', false],
    ]);
  });
});
