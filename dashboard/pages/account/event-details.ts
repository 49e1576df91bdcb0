// The facts of an event of the account, as one line.

import { inWords } from '../../parts/in-words.ts'
import { share as percentOf } from '../../parts/numbers.ts'
import { accountEvents as words } from '../../texts/en/account-events.ts'
import { counted, fill } from '../../texts/texts.ts'
import type { AccountEvent } from './calls.ts'

/** Returns the name or the address of the object, its domain, and the figures and reasons of the event. */
export function aboutOf({ domain, detail }: Pick<AccountEvent, 'domain' | 'detail'>): string {
  const { email, name, host, address, used_percent, left, count, total, share, status, reason, stream } =
    detail as Readonly<Record<string, unknown>>
  const texts = [email, name, host, address].filter((one) => typeof one === 'string' && one !== '')
  const figures = [
    typeof used_percent === 'number' && fill(words.used, { percent: used_percent }),
    typeof left === 'number' && fill(words.left, { count: left }),
    typeof count === 'number' && count > 1 && counted(words.addresses, count),
    typeof total === 'number' && counted(words.addresses, total),
    typeof share === 'number' && percentOf(share, 1),
  ]
  const reasons = [status, reason].flatMap((one) => (typeof one === 'string' ? [inWords(one)] : []))
  const place = typeof stream === 'string' && stream !== '*' ? stream : null
  return [...texts, domain, place, ...figures, ...reasons]
    .filter((one) => typeof one === 'string' && one !== '')
    .join(' · ')
}
