// Badge next to the title of a list that refreshes by itself.

import { Text } from '@mantine/core'
import { tables } from '../texts/en/tables.ts'
import { StatusBadge } from './status-badge.tsx'

export const Live = ({ failing }: { readonly failing: boolean }) => (
  <Text fz="sm" component="div">
    <StatusBadge
      status="live"
      label={failing ? tables.reconnecting : tables.live}
      tone={failing ? 'waiting' : 'good'}
    />
  </Text>
)
