// Empty state of a page: the purpose of the page, and the first step.

import { Box, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon?: ReactNode
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <Box ta="center" px="md" py={56}>
      {icon !== undefined && <Box c="dimmed">{icon}</Box>}
      <Title order={2} mt={icon === undefined ? 0 : 'sm'}>
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" fz="sm" mt={4} maw={460} mx="auto" component="div">
          {children}
        </Text>
      )}
      {action !== undefined && <Box mt="lg">{action}</Box>}
    </Box>
  )
}
