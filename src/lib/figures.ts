// Metrics of a node, in the format of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** A value of a figure, by its labels when there are any. */
type Values<V> = V | Iterable<readonly [labels: string | readonly string[], value: V]>

interface Named {
  /** Such as `postrider_attempts_total`. */
  readonly name: string
  readonly help: string
  /** Names of the labels whose values `read` tells apart. */
  readonly labels?: readonly string[]
}

/** One figure, read at collection: counting costs nothing on the way of a message. */
export type Figure = Named &
  (
    | {
        readonly kind: 'counter' | 'gauge'
        /** The value now. A figure that cannot be read is left out, and the others are told. */
        read(): Values<number> | Promise<Values<number>>
      }
    | { readonly kind: 'histogram'; read(): Values<Distribution> }
  )

/** Counts values, such as seconds, by the bounds that they do not exceed. */
export class Distribution {
  readonly bounds: readonly number[]
  /** By bound, each without those of the bounds before; the last for what exceeds all of them. */
  readonly counts: Float64Array
  sum = 0

  /** `bounds`: ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const { bounds, counts } = this
    let at = 0
    while (at < bounds.length && value > (bounds[at] as number)) at++
    counts[at] = (counts[at] as number) + 1
    this.sum += value
  }
}

/** Bounds of a distribution of durations, in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const

/** A registry with these figures and those of the process (memory, CPU, event loop), labelled with its number among workers. */
export function createRegistry(figures: readonly Figure[], worker?: number): Registry {
  const registry = new Registry()
  if (worker !== undefined) registry.setDefaultLabels({ worker: String(worker) })
  collectDefaultMetrics({ register: registry })
  addFigures(registry, figures)
  return registry
}

/** Adds figures of a part that was made after the registry. */
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
          // Only now: of two collections at once neither adds to what the other has set.
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
    // The store is away, say: other figures tell that, and are needed just then.
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

/** A histogram of distributions that are kept elsewhere. */
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
