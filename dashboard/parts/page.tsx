// The frame of a page, with title, actions and content.

import { Box, Container, Group, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useMatch } from 'react-router'
import { domainQuery } from '../pages/domains/calls.ts'
import { longTitle } from './long-title.ts'

interface PageProps {
  readonly title: string
  /** One sentence below the title. */
  readonly intro?: ReactNode
  /** Link to the parent page, shown above the title. */
  readonly above?: ReactNode
  /** Buttons next to the title. */
  readonly actions?: ReactNode
  readonly size?: number | 'xs' | 'sm' | 'md' | 'lg' | 'xl'
  readonly children: ReactNode
}

export function Page({ title, intro, above, actions, size = 1080, children }: PageProps) {
  const domainId = useMatch('/domains/:domainId/*')?.params.domainId ?? ''
  const { data: domain } = useQuery({ ...domainQuery(domainId), enabled: domainId !== '' })
  // The domain in the document title distinguishes browser tabs that show the same page.
  const of = domainId === '' ? undefined : domain?.domain_unicode
  // The side navigation, which names the domain, is hidden behind a button in a narrow window.
  const isNarrow = useMediaQuery('(max-width: 47.99em)')
  useEffect(() => {
    document.title = [title, of, 'Postrider'].filter((part) => part !== undefined).join(' · ')
  }, [title, of])
  return (
    <Container size={size} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 40 }}>
      {isNarrow && of !== undefined && (
        <Text fz="sm" c="dimmed" mb={4}>
          {of}
        </Text>
      )}
      {above !== undefined && <Box mb="xs">{above}</Box>}
      <Group justify="space-between" align="flex-start" gap="md" mb="xl">
        {/* The introduction wraps next to the buttons if there is enough width for both. */}
        <Box miw={0} maw="100%" flex={intro === undefined ? undefined : '1 1 24rem'}>
          <Title order={1} dir="auto" title={longTitle(title)}>
            {title}
          </Title>
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
