// Sign beside the title of a list that renews itself.

import { Text } from '@mantine/core'
import { StatusBadge } from './status-badge.tsx'

export const Live = ({ failing }: { readonly failing: boolean }) => (
  <Text fz="sm" component="div">
    <StatusBadge
      status="live"
      label={failing ? 'Reconnecting' : 'Live'}
      tone={failing ? 'waiting' : 'good'}
    />
  </Text>
)
