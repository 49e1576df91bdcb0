// The frame of a page: its title, what can be done there, its content.

import { Box, Container, Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageProps {
  readonly title: string
  /** One sentence below the title. */
  readonly intro?: ReactNode
  /** Above the title: the way back. */
  readonly above?: ReactNode
  /** Beside the title: buttons. */
  readonly actions?: ReactNode
  /** Instead of the title as text. */
  readonly heading?: ReactNode
  readonly size?: number | 'xs' | 'sm' | 'md' | 'lg' | 'xl'
  readonly children: ReactNode
}

export function Page({ title, intro, above, actions, heading, size = 1080, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <Container size={size} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 40 }}>
      {above !== undefined && <Box mb="xs">{above}</Box>}
      <Group justify="space-between" align="flex-start" gap="md" mb="xl">
        <Box miw={0} maw="100%">
          <Title order={1}>{heading ?? title}</Title>
          {intro !== undefined && (
            <Text c="dimmed" mt={4} maw={640}>
              {intro}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Container>
  )
}
