// Progress of a list, as a bar and in words: how far it is, how long it still takes, what it waits for.

import { Progress, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { counted, whole } from '../../parts/numbers.ts'
import { timeLeft } from '../../parts/time-left.ts'
import { type AddressList, isUnderWay, pendingQuery } from './calls.ts'

/** Reasons why nothing is verified now. */
const WAITING: Readonly<Record<NonNullable<AddressList['waiting_for']>, string>> = {
  credits: 'no credits left',
  account: 'the account is suspended',
  other_list: 'another list of this account is verified first',
  worker: 'begins in a moment',
}

export function ListProgress({ list }: { readonly list: AddressList }) {
  const { status, done, total } = list
  return (
    <>
      {isUnderWay(list) && (
        <Progress
          value={total === 0 ? 100 : (100 * done) / total}
          animated={status === 'running'}
          color={status === 'paused' ? 'yellow' : 'post'}
          aria-label="Verified"
          mb={4}
        />
      )}
      <Text fz="sm" c="dimmed">
        {inWords(list)}
      </Text>
    </>
  )
}

function inWords({ status, done, total, seconds_left, waiting_for }: AddressList): string {
  const some = `${whole(done)} of ${whole(total)}`
  if (status === 'done') return 'Done'
  if (status === 'cancelled') return `Cancelled after ${some}`
  const more = waiting_for === null ? timeLeft(seconds_left) : `waits: ${WAITING[waiting_for]}`
  return more === undefined ? some : `${some}, ${more}`
}

const SHOWN_DOMAINS = 3

/** Domains that the rest of a list is at, since they decide how long it takes. */
export function ListRest({ list }: { readonly list: AddressList }) {
  const domains = useQuery(pendingQuery(list)).data?.pending_domains ?? []
  if (list.status !== 'running' || domains.length === 0) return null
  const shown = domains
    .slice(0, SHOWN_DOMAINS)
    .map(({ domain, count }) => `${domain} (${counted(count, 'address', 'addresses')})`)
  return (
    <Text fz="sm" c="dimmed">
      Next: {shown.join(', ')}
      {domains.length > SHOWN_DOMAINS && ' and others'}. A domain gets few verifications at a time, and mail
      hosts that are slow or ask to be tried again later take longer.
    </Text>
  )
}
