// Placeholder shown while data is loading.

import { Center, Loader } from '@mantine/core'
import { common } from '../texts/en/common.ts'

interface LoadingProps {
  /** Height of the placeholder in pixels. */
  readonly h?: number
  /** Name of the activity for screen readers. */
  readonly label?: string
}

export const Loading = ({ h = 160, label = common.loading }: LoadingProps) => (
  <Center h={h}>
    <Loader role="img" aria-label={label} size="sm" />
  </Center>
)
