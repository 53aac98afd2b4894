import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The process's Prometheus registry. Of two metrics of one name, as when a part is built twice, the later counts. */
export const metricsRegistry = new Registry();
collectDefaultMetrics({ register: metricsRegistry, prefix: 'tallyport_' });

interface Naming {
  name: string;
  help: string;
  labelNames?: readonly string[];
}

export function counter(naming: Naming): Counter {
  metricsRegistry.removeSingleMetric(naming.name);
  return new Counter({ ...naming, labelNames: [...(naming.labelNames ?? [])], registers: [metricsRegistry] });
}

/** A gauge that is read when Prometheus asks; `collect` sets it. */
export function gauge(naming: Naming & { collect?: (this: Gauge) => void | Promise<void> }): Gauge {
  metricsRegistry.removeSingleMetric(naming.name);
  return new Gauge({ ...naming, labelNames: [...(naming.labelNames ?? [])], registers: [metricsRegistry] });
}

/** Seconds, in buckets from 5 ms to 30 min. */
export function durationHistogram(naming: Naming): Histogram {
  const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
  return new Histogram({
    ...naming,
    labelNames: [...(naming.labelNames ?? [])],
    buckets,
    registers: [metricsRegistry],
  });
}
