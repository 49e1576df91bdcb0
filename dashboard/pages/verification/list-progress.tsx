// Progress of a list, as a bar and in words: completed share, remaining time, and reason for waiting.

import { Progress, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { timeLeft } from '../../parts/time-left.ts'
import { verification } from '../../texts/en/verification.ts'
import { counted, fill } from '../../texts/texts.ts'
import { type AddressList, isUnderWay, pendingQuery } from './calls.ts'

const texts = verification.lists

export function ListProgress({ list }: { readonly list: AddressList }) {
  const { status, done, total } = list
  return (
    <>
      {isUnderWay(list) && (
        <Progress
          value={total === 0 ? 100 : (100 * done) / total}
          animated={status === 'running'}
          color={status === 'paused' ? 'yellow' : 'post'}
          aria-label={texts.verified}
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
  const some = fill(texts.some, { done, total })
  if (status === 'done') return texts.done
  if (status === 'cancelled') return fill(texts.cancelledAfter, { some })
  if (waiting_for !== null) return fill(texts.waits, { some, reason: texts.waiting[waiting_for] })
  return [some, timeLeft(seconds_left)].filter((one) => one !== undefined).join(', ')
}

const SHOWN_DOMAINS = 3

/** The domains of the pending addresses of a list, because they determine the remaining time. */
export function ListRest({ list }: { readonly list: AddressList }) {
  const domains = useQuery(pendingQuery(list)).data?.pending_domains ?? []
  if (list.status !== 'running' || domains.length === 0) return null
  const shown = domains
    .slice(0, SHOWN_DOMAINS)
    .map(({ domain, count }) => `${domain} (${counted(texts.count, count)})`)
  return (
    <Text fz="sm" c="dimmed">
      {fill(domains.length > SHOWN_DOMAINS ? texts.nextAndOthers : texts.next, {
        domains: shown.join(', '),
      })}{' '}
      {texts.pace}
    </Text>
  )
}
