// Stands where something is being fetched.

import { Center, Loader } from '@mantine/core'

interface LoadingProps {
  /** Height in pixels. */
  readonly h?: number
  /** Name of the activity for screen readers. */
  readonly label?: string
}

export const Loading = ({ h = 160, label = 'Loading' }: LoadingProps) => (
  <Center h={h}>
    <Loader role="img" aria-label={label} size="sm" />
  </Center>
)
