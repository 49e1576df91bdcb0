// How long messages are kept: their contents, the transcripts of their attempts, and their records.

import type { FieldProblem } from './problem.ts'

/** `record`: the message itself, with its recipients, attempts, events and all else that is kept of it. */
export const RETENTION_KINDS = ['content', 'transcript', 'record'] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** The retention of each kind, in milliseconds from the submission of a message. */
export type Retention = Readonly<Record<RetentionKind, number>>

/**
 * One rule: which messages keep something for how long. The installation's rule is about all messages; a domain or a
 * stream that keeps less has a rule of its own.
 */
export interface Sweep {
  readonly kind: RetentionKind
  /** Empty: all domains. */
  readonly domainId: string
  /** Empty: all streams. */
  readonly stream: string
  /** How long after the submission of a message it is kept, in milliseconds. */
  readonly keptMs: number
  /** An ID before which the messages are that it is about now; undefined: all. */
  readonly until?: string
}

/** The retention that a domain or a stream has of its own, in days; null: that of the level above. */
export type RetentionDays = Readonly<Record<`${RetentionKind}_retention_days`, number | null>>

/** Inherits all of it. */
export const NO_RETENTION_DAYS: RetentionDays = {
  content_retention_days: null,
  transcript_retention_days: null,
  record_retention_days: null,
}

export const MAX_RETENTION_DAYS = 36_500
const DAY_MS = 86_400_000

const fieldOf = (kind: RetentionKind): keyof RetentionDays => `${kind}_retention_days`

/**
 * Retention in force below a level: a domain or a stream shortens it and never extends it. With the record of a message
 * everything of it goes.
 */
export function shortened(above: Retention, days: Partial<RetentionDays>): Retention {
  const within = (kind: RetentionKind): number =>
    Math.min(above[kind], (days[fieldOf(kind)] ?? Number.POSITIVE_INFINITY) * DAY_MS)
  const record = within('record')
  const withRecord = (kind: RetentionKind): number => Math.min(within(kind), record)
  return { content: withRecord('content'), transcript: withRecord('transcript'), record }
}

/** Where a retention in force comes from: the level itself, that above it, or `record`, with which the rest goes. */
export function retentionSource(
  kind: RetentionKind,
  above: Retention,
  days: Partial<RetentionDays>,
): 'own' | 'above' | 'record' {
  const own = (days[fieldOf(kind)] ?? Number.POSITIVE_INFINITY) * DAY_MS
  if (shortened(above, days)[kind] < Math.min(above[kind], own)) return 'record'
  return own <= above[kind] ? 'own' : 'above'
}

/** A problem for each field that is longer than what the level above keeps; `inherits` is the word for no retention of its own. */
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

/** A duration in the largest unit that it is a whole number of: `45 days`, `12 hours`. */
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
