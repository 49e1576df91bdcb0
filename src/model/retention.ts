// The retention of messages: of their contents, the transcripts of attempts, and their records.

import type { FieldProblem } from './problem.ts'

/** `record`: the message itself, with its recipients, attempts, events and everything else about it. */
export const RETENTION_KINDS = ['content', 'transcript', 'record'] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Retention of each kind, in milliseconds from the submission of a message. */
export type Retention = Readonly<Record<RetentionKind, number>>

/**
 * One rule: which messages keep something, and for how long. The rule of the installation covers all messages; a
 * domain or a stream with a shorter retention has its own rule.
 */
export interface Sweep {
  readonly kind: RetentionKind
  /** Empty: all domains. */
  readonly domainId: string
  /** Empty: all streams. */
  readonly stream: string
  /** Retention in milliseconds from the submission of a message. */
  readonly keptMs: number
  /** Exclusive upper bound of the message IDs it covers now; undefined: all. */
  readonly until?: string
}

/** Own retention of a domain or a stream, in days; null: that of the level above. */
export type RetentionDays = Readonly<Record<`${RetentionKind}_retention_days`, number | null>>

/** Inherits everything. */
export const NO_RETENTION_DAYS: RetentionDays = {
  content_retention_days: null,
  transcript_retention_days: null,
  record_retention_days: null,
}

export const MAX_RETENTION_DAYS = 36_500
const DAY_MS = 86_400_000

const fieldOf = (kind: RetentionKind): keyof RetentionDays => `${kind}_retention_days`

/**
 * Returns the retention in force below a level: a domain or a stream shortens it and never extends it. Everything
 * about a message ends with its record.
 */
export function shortened(above: Retention, days: Partial<RetentionDays>): Retention {
  const within = (kind: RetentionKind): number =>
    Math.min(above[kind], (days[fieldOf(kind)] ?? Number.POSITIVE_INFINITY) * DAY_MS)
  const record = within('record')
  const withRecord = (kind: RetentionKind): number => Math.min(within(kind), record)
  return { content: withRecord('content'), transcript: withRecord('transcript'), record }
}

/** Returns the source of a retention: the level itself, the level above, or `record`, with which the rest ends. */
export function retentionSource(
  kind: RetentionKind,
  above: Retention,
  days: Partial<RetentionDays>,
): 'own' | 'above' | 'record' {
  const own = (days[fieldOf(kind)] ?? Number.POSITIVE_INFINITY) * DAY_MS
  if (shortened(above, days)[kind] < Math.min(above[kind], own)) return 'record'
  return own <= above[kind] ? 'own' : 'above'
}

/** Returns a problem for each field that exceeds the level above; `inherits` is the word for no own retention. */
export function retentionProblems(
  days: Partial<RetentionDays>,
  above: Retention,
  level: 'domain' | 'installation',
  inherits = 'null',
): FieldProblem[] {
  return RETENTION_KINDS.flatMap((kind) => {
    const path = fieldOf(kind)
    const given = days[path]
    if (given == null || given * DAY_MS <= above[kind]) return []
    const message = `The ${level} keeps it for ${inWords(above[kind])}; give fewer days, or ${inherits} for the same.`
    return [{ path, code: 'too_long', message }]
  })
}

/** Returns a duration in the largest unit of which it is a whole number: `45 days`, `12 hours`. */
export function inWords(ms: number): string {
  const units = [
    ['day', DAY_MS],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  const [name, unit] = units.find(([, length]) => ms % length === 0) ?? ['second', 1_000]
  const count = ms / unit
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
