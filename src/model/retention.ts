// Retention of messages: of contents, of transcripts of attempts, and of the records of messages.

import type { FieldProblem } from './problem.ts'

/**
 * Kinds of retained data; `record` is the message itself, with its recipients, attempts, events and all other data
 * about the message.
 */
export const RETENTION_KINDS = ['content', 'transcript', 'record'] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Retention of each kind, in milliseconds from the submission of a message. */
export type Retention = Readonly<Record<RetentionKind, number>>

/**
 * One retention rule: the messages, the kind of data, and the time for which the data is kept. The rule of the
 * installation covers all messages; a domain or a stream with a shorter retention has its own rule.
 */
export interface Sweep {
  readonly kind: RetentionKind
  /** ID of one domain; empty for all domains. */
  readonly domainId: string
  /** Name of one stream; empty for all streams. */
  readonly stream: string
  /** Retention in milliseconds from the submission of a message. */
  readonly keptMs: number
  /** Exclusive upper bound of the message IDs that the rule covers now; undefined covers all messages. */
  readonly until?: string
}

/** Retention that a domain or a stream sets, in days; null inherits the retention of the level above. */
export type RetentionDays = Readonly<Record<`${RetentionKind}_retention_days`, number | null>>

/** Retention settings of a domain or a stream that inherits every retention. */
export const NO_RETENTION_DAYS: RetentionDays = {
  content_retention_days: null,
  transcript_retention_days: null,
  record_retention_days: null,
}

export const MAX_RETENTION_DAYS = 36_500
const DAY_MS = 86_400_000

const fieldOf = (kind: RetentionKind): keyof RetentionDays => `${kind}_retention_days`

/**
 * Returns the effective retention of a domain or a stream, which may shorten but never extend the retention of the
 * level above. Contents and transcripts are never kept longer than the record of the message.
 */
export function shortened(above: Retention, days: Partial<RetentionDays>): Retention {
  const within = (kind: RetentionKind): number =>
    Math.min(above[kind], (days[fieldOf(kind)] ?? Number.POSITIVE_INFINITY) * DAY_MS)
  const record = within('record')
  const withRecord = (kind: RetentionKind): number => Math.min(within(kind), record)
  return { content: withRecord('content'), transcript: withRecord('transcript'), record }
}

/**
 * Returns the source of a retention: the level itself, the level above, or `record` if the retention of the record is
 * shorter.
 */
export function retentionSource(
  kind: RetentionKind,
  above: Retention,
  days: Partial<RetentionDays>,
): 'own' | 'above' | 'record' {
  const own = (days[fieldOf(kind)] ?? Number.POSITIVE_INFINITY) * DAY_MS
  if (shortened(above, days)[kind] < Math.min(above[kind], own)) return 'record'
  return own <= above[kind] ? 'own' : 'above'
}

/**
 * Returns a problem for each field that exceeds the retention of the level above; `inherits` is the word in the message
 * for an inherited retention.
 */
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
    const message = `The retention of the ${level} is ${inWords(above[kind])}; give fewer days, or ${inherits} for the same retention.`
    return [{ path, code: 'too_long', message }]
  })
}

/** Returns a duration as text, in the largest unit that gives a whole number, such as `45 days` or `12 hours`. */
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
