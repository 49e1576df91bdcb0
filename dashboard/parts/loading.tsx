// Stands where something is being fetched.

import { Center, Loader } from '@mantine/core'

interface LoadingProps {
  /** Height in pixels. */
  readonly h?: number
  /** What is going on, for who cannot see the sign. */
  readonly label?: string
}

export const Loading = ({ h = 160, label = 'Loading' }: LoadingProps) => (
  <Center h={h}>
    <Loader role="img" aria-label={label} size="sm" />
  </Center>
)
