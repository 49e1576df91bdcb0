// A status as a word with a coloured dot; the colour repeats the meaning of the word.

import type { CSSProperties } from 'react'
import type { EventView } from '../../src/api/contract/event.ts'
import { inWords } from './in-words.ts'

export type Tone = 'good' | 'waiting' | 'bad' | 'failed' | 'accent' | 'quiet'

/**
 * Tones of statuses; charts use the same tones, so that an outcome has one colour everywhere. The compiler reports an
 * event type without a tone.
 */
const TONES: Readonly<Partial<Record<string, Tone>> & Record<EventView['type'], Tone>> = {
  delivered: 'good',
  verified: 'good',
  found: 'good',
  deliverable: 'good',
  active: 'good',
  done: 'good',
  ok: 'good',
  queued: 'accent',
  sending: 'accent',
  running: 'accent',
  scheduled: 'accent',
  accepted: 'accent',
  opened: 'accent',
  clicked: 'accent',
  pending: 'waiting',
  deferred: 'waiting',
  partially_delivered: 'waiting',
  paused: 'waiting',
  held: 'waiting',
  risky: 'waiting',
  mismatch: 'waiting',
  warning: 'waiting',
  bounced: 'bad',
  failed: 'failed',
  complained: 'bad',
  missing: 'bad',
  undeliverable: 'bad',
  suspended: 'bad',
  error: 'bad',
  suppressed: 'quiet',
  cancelled: 'quiet',
  unsubscribed: 'quiet',
  received: 'quiet',
  incident_opened: 'bad',
  incident_closed: 'good',
  listed: 'bad',
  delisted: 'good',
  report_received: 'quiet',
  key_due: 'quiet',
  key_switched: 'quiet',
}

/** Returns the colour of a status as a CSS value. */
export const colorOf = (status: string): string => `var(--tone-${TONES[status] ?? 'quiet'})`

interface StatusBadgeProps {
  readonly status: string
  /** Text of the badge; by default, the name of the status. */
  readonly label?: string
  readonly tone?: Tone
}

export function StatusBadge({ status, label, tone }: StatusBadgeProps) {
  const style = { '--tone': tone === undefined ? colorOf(status) : `var(--tone-${tone})` } as CSSProperties
  return (
    <span className="status" style={style}>
      {label ?? inWords(status)}
    </span>
  )
}
