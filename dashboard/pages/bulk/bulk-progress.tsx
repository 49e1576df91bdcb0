// Progress of a bulk, as a bar and in words.

import { Progress, Text } from '@mantine/core'
import { whole } from '../../parts/numbers.ts'
import { timeLeft } from '../../parts/time-left.ts'
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
          aria-label="Accepted"
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
  const some = `${whole(accepted)} of ${whole(total)} accepted`
  const others = refused === 0 ? '' : `, ${whole(refused)} refused`
  if (status === 'cancelling') return `Cancelling: ${some}${others}`
  if (status === 'cancelled') return `Cancelled: ${some}${others}`
  if (status === 'paused') return `Paused: ${some}${others}`
  if (status === 'queued') return 'Queued: bulks of an account are sent one after the other'
  const left = timeLeft(seconds_left)
  return `${some}${others}${left === undefined ? '' : `, ${left}`}`
}
