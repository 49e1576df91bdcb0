// The way from a figure to the events that it counts.

import { activityAddress, type Filter } from '../activity/calls.ts'
import type { Statistics } from './calls.ts'
import type { Choice } from './choice.ts'

/** A recipient has them more than once, and figures count them once. */
const CAN_REPEAT: ReadonlySet<string> = new Set(['deferred', 'opened', 'clicked'])

/** The page of these events, in the span of the figures and narrowed as they are. */
export const eventsAddress = (
  { domain, stream, tag, provider }: Choice,
  { from, to }: Pick<Statistics, 'from' | 'to'>,
  more: Filter,
): string =>
  activityAddress({
    ...(domain === undefined ? {} : { domain }),
    ...(stream === undefined ? {} : { stream }),
    ...(tag === undefined ? {} : { tag }),
    ...(provider === undefined ? {} : { provider }),
    ...(CAN_REPEAT.has(more.type ?? '') ? { counted: 'yes' } : {}),
    ...more,
    after: from,
    before: to,
  })
