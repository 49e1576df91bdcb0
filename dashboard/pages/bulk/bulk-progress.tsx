// Progress of a bulk, as a bar and in words.

import { Progress, Text } from '@mantine/core'
import { timeLeft } from '../../parts/time-left.ts'
import { bulk as words } from '../../texts/en/bulk.ts'
import { fill } from '../../texts/texts.ts'
import { type Bulk, isUnderWay } from './calls.ts'

export function BulkProgress({ bulk }: { readonly bulk: Bulk }) {
  const { status, accepted, refused, total } = bulk
  return (
    <>
      {isUnderWay(bulk) && (
        <Progress
          value={total === 0 ? 0 : (100 * (accepted + refused)) / total}
          animated={status === 'running'}
          color={status === 'paused' ? 'yellow' : 'post'}
          aria-label={words.accepted}
          mb={4}
        />
      )}
      <Text fz="sm" c="dimmed">
        {inWords(bulk)}
      </Text>
    </>
  )
}

function inWords({ status, accepted, refused, total, seconds_left }: Bulk): string {
  const some =
    refused === 0
      ? fill(words.some, { accepted, total })
      : fill(words.someRefused, { accepted, total, refused })
  // A bulk that waits for its next turn also has the status `queued`.
  if (status === 'queued' && accepted === 0) return words.states.queued
  if (status === 'cancelling' || status === 'cancelled' || status === 'paused') {
    return fill(words.states[status], { some })
  }
  const left = timeLeft(seconds_left)
  return left === undefined ? some : fill(words.states.left, { some, left })
}
