// The figures that are recorded for each commit, with their labels, units, and whether more or less is better.

/** Description of one recorded figure. */
export interface KeptFigure {
  readonly label: string
  readonly unit: string
  readonly better: 'more' | 'less'
  /** True for a figure that measures the machine, and so shows whether two records are comparable. */
  readonly ofMachine?: true
}

const rate = (label: string, more: Partial<KeptFigure> = {}): KeptFigure => ({
  label,
  unit: '/s',
  better: 'more',
  ...more,
})
const ratio = (label: string): KeptFigure => ({ label, unit: '', better: 'more' })
const cpu = (label: string): KeptFigure => ({ label: `${label}: CPU each`, unit: 'µs', better: 'less' })
const memory = (label: string): KeptFigure => ({ label: `${label}: memory`, unit: 'MiB', better: 'less' })

/** Recorded figures by name, in the order of display. */
export const FIGURES = {
  bare_rate: rate('bare handler', { ofMachine: true }),
  sign_rate: rate('RSA-2048 signatures', { ofMachine: true }),
  accept_ratio: ratio('accept: of the bare handler'),
  accept_durable_ratio: ratio('accept: of the durable reference'),
  accept_cpu: cpu('accept'),
  accept_p99: { label: 'accept: p99', unit: 'ms', better: 'less' },
  accept_memory: memory('accept'),
  accept_postgres_ratio: ratio('accept on PostgreSQL: of the durable reference'),
  accept_postgres_cpu: cpu('accept on PostgreSQL'),
  smtp_ratio: ratio('smtp: of the bare handler'),
  smtp_cpu: cpu('smtp'),
  deliver_ratio: ratio('deliver: of the signatures'),
  deliver_cpu: cpu('deliver'),
  deliver_memory: memory('deliver'),
  prefilled_ratio: ratio('deliver --prefilled: of the signatures'),
  prefilled_cpu: cpu('deliver --prefilled'),
  prefilled_memory: memory('deliver --prefilled'),
  verify_ratio: ratio('verify: of the bare handler'),
  verify_cpu: cpu('verify'),
  verify_memory: memory('verify'),
  template_ratio: ratio('template: accepted, of the rate by content'),
  render_ratio: ratio('template: rendered, of compiled handlebars'),
} as const satisfies Record<string, KeptFigure>

export type FigureName = keyof typeof FIGURES
export const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[]

const kept = new Map<FigureName, readonly number[]>()

/** Keeps the values of a figure, one for each round; measurements that are not recorded also call this function. */
export function keep(name: FigureName, values: readonly number[]): void {
  kept.set(name, values)
}

/** Returns the values of a figure that the measurements of this run have kept. */
export const keptValues = (name: FigureName): readonly number[] => kept.get(name) ?? []
