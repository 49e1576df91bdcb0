// Links from a figure to the events that it counts.

import { activityAddress, type Filter } from '../activity/activity-address.ts'
import type { Statistics } from './calls.ts'
import type { Choice } from './choice.ts'

/** Event types that a recipient may have several times, but that figures count once. */
const CAN_REPEAT: ReadonlySet<string> = new Set(['deferred', 'opened', 'clicked'])

/** Returns the path of the activity page with the events of a figure: same period, same filters. */
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
