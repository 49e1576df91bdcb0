// Figures for whoever watches a node, in the format of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** One figure, read when somebody asks: counting costs nothing on the way of a message. */
export interface Figure {
  /** Such as `postrider_attempts_total`. */
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge'
  /** The name of the label whose values `read` tells apart. */
  readonly label?: string
  /** The value now; by label value when there is a label. */
  read(): number | Iterable<readonly [label: string, value: number]>
}

/** A registry with these figures and those of the process (memory, CPU, event loop). */
export function createRegistry(figures: readonly Figure[]): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const figure of figures) {
    const options = {
      name: figure.name,
      help: figure.help,
      labelNames: figure.label === undefined ? [] : [figure.label],
      registers: [registry],
    }
    if (figure.kind === 'gauge') {
      const gauge: Gauge = new Gauge({
        ...options,
        collect: () => each(figure, (labels, n) => gauge.set(labels, n)),
      })
    } else {
      const counter: Counter = new Counter({
        ...options,
        collect() {
          counter.reset()
          each(figure, (labels, n) => counter.inc(labels, n))
        },
      })
    }
  }
  return registry
}

function each(figure: Figure, take: (labels: Record<string, string>, value: number) => void): void {
  const value = figure.read()
  const values = typeof value === 'number' ? [] : value
  if (typeof value === 'number') take({}, value)
  for (const [label, one] of values) take({ [figure.label as string]: label }, one)
}
