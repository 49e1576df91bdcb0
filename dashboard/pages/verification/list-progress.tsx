// Progress of a list, as a bar and in words.

import { Progress, Text } from '@mantine/core'
import { whole } from '../../parts/numbers.ts'
import type { AddressList } from './calls.ts'

export function ListProgress({ list }: { readonly list: AddressList }) {
  const { status, done, total } = list
  const percent = total === 0 ? 100 : (100 * done) / total
  return (
    <>
      {status !== 'done' && (
        <Progress
          value={percent}
          animated={status === 'running'}
          color={status === 'paused' ? 'yellow' : 'post'}
          aria-label="Verified"
          mb={4}
        />
      )}
      <Text fz="sm" c="dimmed">
        {status === 'done'
          ? 'Done'
          : status === 'paused'
            ? `${whole(done)} of ${whole(total)}; paused: no credits left`
            : status === 'queued' && done === 0
              ? 'Queued'
              : `${whole(done)} of ${whole(total)}`}
      </Text>
    </>
  )
}
