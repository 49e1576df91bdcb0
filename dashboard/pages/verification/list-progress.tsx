// Progress of a list, as a bar and in words.

import { Progress, Text } from '@mantine/core'
import { useState } from 'react'
import { whole } from '../../parts/numbers.ts'
import { type AddressList, isUnderWay } from './calls.ts'

/** Per cent from which on what is left is slow. */
const MIN_MOSTLY_DONE = 80

export function ListProgress({ list }: { readonly list: AddressList }) {
  const { status, done, total } = list
  const percent = total === 0 ? 100 : (100 * done) / total
  const left = useTimeLeft(list)
  return (
    <>
      {isUnderWay(list) && (
        <Progress
          value={percent}
          animated={status === 'running'}
          color={status === 'paused' ? 'yellow' : 'post'}
          aria-label="Verified"
          mb={4}
        />
      )}
      <Text fz="sm" c="dimmed">
        {inWords(list)}
        {status === 'running' && left !== undefined && `, about ${left} left`}
      </Text>
      {status === 'running' && percent >= MIN_MOSTLY_DONE && percent < 100 && (
        <Text fz="sm" c="dimmed">
          The last addresses wait for slow mail hosts, or for hosts that ask to be tried again later.
        </Text>
      )}
    </>
  )
}

function inWords({ status, done, total }: AddressList): string {
  const some = `${whole(done)} of ${whole(total)}`
  if (status === 'done') return 'Done'
  if (status === 'cancelled') return `Cancelled after ${some}`
  if (status === 'paused') return `${some}; paused: no credits left`
  return status === 'queued' && done === 0 ? 'Queued' : some
}

/** Milliseconds of progress from which on its speed is told. */
const MIN_SEEN_MS = 5_000

/** Time left at the speed since the page was opened, in words; undefined until that is known. */
function useTimeLeft({ done, total }: AddressList): string | undefined {
  const [first] = useState(() => ({ done, at: Date.now() }))
  const elapsed = Date.now() - first.at
  const verified = done - first.done
  if (elapsed < MIN_SEEN_MS || verified <= 0 || done >= total) return undefined
  const seconds = ((elapsed / verified) * (total - done)) / 1_000
  if (seconds < 60) return 'a minute'
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
