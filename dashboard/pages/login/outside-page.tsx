// The frame of the pages before the login.

import { Box, Center, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { ConnectionNotice } from '../../shell/connection-notice.tsx'

interface OutsidePageProps {
  readonly title: string
  readonly children: ReactNode
}

export function OutsidePage({ title, children }: OutsidePageProps) {
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <Box mih="100vh" bg="var(--surface)">
      <ConnectionNotice />
      <Center component="main" py={{ base: 32, sm: 80 }} px="md">
        <Box w="100%" maw={400}>
          <Center mb="lg">
            <img src="/docs/mark.svg" width={44} height={44} alt="" />
          </Center>
          <Title order={1} ta="center" mb="xl">
            {title}
          </Title>
          <Box className="card" p={{ base: 'lg', sm: 'xl' }}>
            {children}
          </Box>
        </Box>
      </Center>
    </Box>
  )
}
