// The figures of the home page: what they are called, and their colours.

import type { Counted } from './calls.ts'

export interface FigureKind {
  readonly name: Counted
  readonly label: string
  /** A custom property of the theme. */
  readonly color: string
  /** Shown even while it is zero. */
  readonly always: boolean
  /** Zero is not remarkable, and a share of what was sent says nothing. */
  readonly whole?: boolean
}

export const FIGURES: readonly FigureKind[] = [
  { name: 'accepted', label: 'Sent', color: 'var(--tone-quiet)', always: true, whole: true },
  { name: 'delivered', label: 'Delivered', color: 'var(--series-delivered)', always: true },
  { name: 'deferred', label: 'Deferred', color: 'var(--series-deferred)', always: true },
  { name: 'bounced', label: 'Bounced', color: 'var(--series-bounced)', always: true },
  { name: 'complained', label: 'Complaints', color: 'var(--series-complained)', always: true },
  { name: 'suppressed', label: 'Suppressed', color: 'var(--series-suppressed)', always: true },
  { name: 'failed', label: 'Failed', color: 'var(--series-failed)', always: false },
  { name: 'cancelled', label: 'Cancelled', color: 'var(--series-cancelled)', always: false },
  { name: 'unsubscribed', label: 'Unsubscribed', color: 'var(--series-unsubscribed)', always: false },
  { name: 'opened', label: 'Opened', color: 'var(--series-opened)', always: false },
  { name: 'clicked', label: 'Clicked', color: 'var(--series-clicked)', always: false },
]
