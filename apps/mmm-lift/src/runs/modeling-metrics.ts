import { durationHistogram } from '#runtime/metrics.js';

export const jobDuration = durationHistogram({
  name: 'tallyport_model_job_duration_seconds',
  help: 'Time from claim to end of a start of a model run or a lift test',
  labelNames: ['kind', 'status'],
});

export const fitDuration = durationHistogram({
  name: 'tallyport_model_fit_duration_seconds',
  help: 'Time that threads took for the numbers of a model run or a lift test, waiting for a free thread included',
  labelNames: ['kind'],
});
