// Metrics of a node in the Prometheus format. Only this file imports the Prometheus client, so that threads do not
// load the client.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { Distribution, type Figure, type Named, type Values } from '../lib/figures.ts'

/**
 * Returns a registry with these metrics and the metrics of the process (memory, CPU, event loop), labelled with the
 * worker's number.
 */
export function createRegistry(figures: readonly Figure[], worker?: number): Registry {
  const registry = Registry.merge([figuresOfProcess()])
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) })
  addFigures(registry, figures)
  return registry
}

let ofProcess: Registry | undefined

/**
 * Returns the registry with the metrics of the process. All nodes of a process share this registry, because the
 * observers of the event loop and of garbage collection never end and keep their registry in memory.
 */
function figuresOfProcess(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

/** Adds the metrics of a part that started after the registry was created. */
export function addFigures(registry: Registry, figures: readonly Figure[]): void {
  for (const figure of figures) {
    const { name, help, labels = [] } = figure
    const options = { name, help, labelNames: labels, registers: [registry] }
    if (figure.kind === 'histogram') new ReadHistogram(options, () => entries(figure, figure.read()))
    else if (figure.kind === 'gauge') {
      const gauge: Gauge = new Gauge({
        ...options,
        async collect() {
          const values = await readAll(figure)
          gauge.reset()
          for (const [labelled, value] of values) gauge.set(labelled, value)
        },
      })
    } else {
      const counter: Counter = new Counter({
        ...options,
        async collect() {
          const values = await readAll(figure)
          // The counter is reset only after the read; otherwise the values of concurrent collections would add up.
          counter.reset()
          for (const [labelled, value] of values) counter.inc(labelled, value)
        },
      })
    }
  }
}

type Labelled = Record<string, string>

const readAll = async (figure: Exclude<Figure, { kind: 'histogram' }>): Promise<[Labelled, number][]> => {
  try {
    return entries(figure, await figure.read())
  } catch {
    // The store may be unreachable, but the metrics that need no store must still be served.
    return []
  }
}

function entries<V extends number | Distribution>(
  { labels = [] }: Named,
  values: Values<V>,
): [Labelled, V][] {
  if (typeof values === 'number' || values instanceof Distribution) return [[{}, values]]
  return [...(values as Iterable<readonly [string | readonly string[], V]>)].map(([given, value]) => [
    Object.fromEntries([given].flat().map((one, at) => [labels[at], one])),
    value,
  ])
}

/** A Prometheus histogram whose counts are read from a `Distribution` at each scrape. */
class ReadHistogram extends Histogram {
  readonly #options: Named
  readonly #read: () => [Labelled, Distribution][]

  constructor(options: Named & { registers: Registry[] }, read: () => [Labelled, Distribution][]) {
    super({ ...options, labelNames: [...(options.labels ?? [])] })
    this.#options = options
    this.#read = read
  }

  override async get(): ReturnType<Histogram['get']> {
    const { name, help } = this.#options
    const values = this.#read().flatMap(([labels, { bounds, counts, sum }]) => {
      let count = 0
      const buckets = [...bounds, '+Inf'].map((le, at) => {
        count += counts[at] as number
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
      })
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ]
    })
    return { name, help, type: 'histogram' as never, aggregator: 'sum', collect: () => {}, values }
  }

  getForPromString(): ReturnType<Histogram['get']> {
    return this.get()
  }
}
