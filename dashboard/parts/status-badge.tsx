// A status as a word with a coloured dot; the colour repeats the meaning of the word.

import type { CSSProperties } from 'react'
import { inWords } from './in-words.ts'

export type Tone = 'good' | 'waiting' | 'bad' | 'accent' | 'quiet'

const TONES: Readonly<Record<string, Tone>> = {
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
  failed: 'bad',
  complained: 'bad',
  missing: 'bad',
  undeliverable: 'bad',
  suspended: 'bad',
  error: 'bad',
}

interface StatusBadgeProps {
  readonly status: string
  /** Text of the badge; by default, the name of the status. */
  readonly label?: string
  readonly tone?: Tone
}

export function StatusBadge({ status, label, tone }: StatusBadgeProps) {
  const style = { '--tone': `var(--tone-${tone ?? TONES[status] ?? 'quiet'})` } as CSSProperties
  return (
    <span className="status" style={style}>
      {label ?? inWords(status)}
    </span>
  )
}
