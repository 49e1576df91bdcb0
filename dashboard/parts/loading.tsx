// Stands where something is being fetched.

import { Center, Loader } from '@mantine/core'

export const Loading = ({ h = 160 }: { readonly h?: number }) => (
  <Center h={h}>
    <Loader aria-label="Loading" size="sm" />
  </Center>
)
