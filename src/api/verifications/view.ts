// View of an address list: the progress, the remaining time and the reason for waiting.

import type { Static } from 'typebox'
import { formatTime } from '../../lib/rfc3339.ts'
import { type Read, reading } from '../../store/database/store.ts'
import { listPendingAddresses } from '../../store/verification/verification-work.ts'
import {
  type ListQueue,
  readListQueue,
  type VerificationList,
} from '../../store/verification/verifications.ts'
import type { ListView } from '../contract/verification.ts'
import type { TimeLeft } from '../time-left.ts'

type View = Static<typeof ListView>

export interface ListViewing {
  readonly read: Read
  readonly timeLeft: TimeLeft
}

export async function viewOfList({ read, timeLeft }: ListViewing, list: VerificationList): Promise<View> {
  return listView(list, await reading(readListQueue(read, list.account_id)), timeLeft)
}

/** Returns the view of an address list; `queue` describes the lists of the same account. */
export function listView(list: VerificationList, queue: ListQueue, timeLeft: TimeLeft): View {
  const { id, total, deliverable, undeliverable, risky, unknown } = list
  const done = deliverable + undeliverable + risky + unknown
  const waitingFor = waitingOf(list, queue)
  return {
    verification_id: id,
    name: list.name,
    columns: [...columnsOf(list)],
    status: list.status as View['status'],
    total,
    duplicates: list.duplicates,
    done,
    seconds_left:
      list.status === 'running' && waitingFor === null ? timeLeft.secondsLeft(id, done, total) : null,
    waiting_for: waitingFor,
    results: { deliverable, undeliverable, risky, unknown },
    created_at: formatTime(list.created_at),
    finished_at: formatTime(list.finished_at),
  }
}

function waitingOf({ id, status }: VerificationList, { suspended, first }: ListQueue): View['waiting_for'] {
  if (status === 'done' || status === 'cancelled') return null
  if (suspended) return 'account'
  if (status === 'paused') return 'credits'
  if (status === 'running') return null
  return first === id ? 'worker' : 'other_list'
}

/** Returns the names of the columns of an address list other than the address column. */
export const columnsOf = ({ columns }: VerificationList): readonly string[] => JSON.parse(columns ?? '[]')

const MAX_COUNTED = 10_000
const MAX_DOMAINS = 10

/**
 * Returns the most frequent domains among the next addresses of a list with their numbers; empty for a finished list.
 */
export async function pendingDomains(
  read: Read,
  { id, status }: VerificationList,
): Promise<{ domain: string; count: number }[]> {
  if (status === 'done' || status === 'cancelled') return []
  const pending = await reading(listPendingAddresses(read, id, -1, MAX_COUNTED))
  const counts = new Map<string, number>()
  for (const { email } of pending) {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
    counts.set(domain, (counts.get(domain) ?? 0) + 1)
  }
  return [...counts]
    .map(([domain, count]) => ({ domain, count }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_DOMAINS)
}
