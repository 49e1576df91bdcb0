// A bordered section of a page with a title.

import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { longTitle } from './long-title.ts'

interface CardProps {
  readonly title?: ReactNode
  readonly intro?: ReactNode
  readonly actions?: ReactNode
  /** True if the content extends to the border, as a table does. */
  readonly flush?: boolean
  readonly children?: ReactNode
}

export function Card({ title, intro, actions, flush = false, children }: CardProps) {
  // A hidden child leaves no empty space.
  const empty = children === undefined || children === false || children === null
  const headed = title !== undefined || actions !== undefined
  return (
    <section className="card">
      {headed && (
        <Group
          justify="space-between"
          align="flex-start"
          px={{ base: 'md', sm: 'lg' }}
          pt="lg"
          pb={flush ? 'sm' : empty ? 'lg' : 0}
        >
          <Box miw={0}>
            {title !== undefined && (
              <Title order={2} dir="auto" title={longTitle(title)}>
                {title}
              </Title>
            )}
            {intro !== undefined && (
              <Text c="dimmed" fz="sm" mt={2} maw={640}>
                {intro}
              </Text>
            )}
          </Box>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      {!empty && (flush ? children : <Box p={{ base: 'md', sm: 'lg' }}>{children}</Box>)}
    </section>
  )
}
