// Page of a shared link that shows a message without a login until the link expires.

import { Box, Container, Stack, Tabs, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useParams, useSearchParams } from 'react-router'
import type { SharedMessageView } from '../../../src/api/contract/dashboard-messages.ts'
import { get, path, withQuery } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ForeignDocument } from '../../parts/foreign-frame.tsx'
import { ForeignText } from '../../parts/foreign-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { fromNow, Time } from '../../parts/time.tsx'
import { Mark } from '../../shell/mark.tsx'
import { messages } from '../../texts/en/messages.ts'
import { shared as words } from '../../texts/en/shared.ts'
import { fill } from '../../texts/texts.ts'
import { recipientsInShort, recipientsOf } from '../messages/calls.ts'
import { outcomeOf, sentencesOf } from '../messages/outcome.ts'

const sharedQuery = (messageId: string, token: string) =>
  queryOptions({
    queryKey: ['shared', messageId, token],
    queryFn: ({ signal }) => get<SharedMessageView>(path`/api/shared/${messageId}`, { token }, signal),
    refetchInterval: 60_000,
  })

export function Component() {
  const { messageId = '' } = useParams()
  const token = useSearchParams()[0].get('token') ?? ''
  const { data: message, error, refetch } = useQuery(sharedQuery(messageId, token))
  const title = message === undefined ? words.title : message.subject || messages.noSubject
  useEffect(() => {
    document.title = `${title} · Postrider`
  }, [title])
  return (
    <Container size={960} py={{ base: 'lg', sm: 40 }} component="main">
      <Box mb="lg">
        <Mark />
      </Box>
      <Title order={1} mb="md">
        {title}
      </Title>
      {message !== undefined ? (
        <Stack gap="lg">
          <State message={message} />
          <Content message={message} messageId={messageId} token={token} />
        </Stack>
      ) : error === null ? (
        <Loading />
      ) : (
        <ErrorNotice error={error} again={refetch} />
      )}
    </Container>
  )
}

interface SharedProps {
  readonly message: SharedMessageView
}

function State({ message }: SharedProps) {
  const line = { ...message, bcc: [], metadata: {}, tag: null, tags: [] }
  return (
    <Card>
      <Stack gap={2} mb="md">
        <StatusBadge status={outcomeOf(line).status} />
        {sentencesOf(line, fromNow).map((sentence) => (
          <Text key={sentence}>{sentence}</Text>
        ))}
      </Stack>
      <Facts
        facts={[
          [words.from, message.from_name ? `${message.from_name} <${message.from}>` : message.from],
          [messages.to, recipientsInShort(line)],
          [messages.accepted, <Time key="at" at={message.created_at} exact />],
          ...recipientsOf(line)
            .filter(({ status }) => status === 'delivered')
            .slice(0, 5)
            .map(
              (one) =>
                [
                  fill(words.deliveredTo, { email: one.email }),
                  <Time key="at" at={one.last_event_at} exact />,
                ] as const,
            ),
        ]}
      />
    </Card>
  )
}

function Content({
  message,
  messageId,
  token,
}: SharedProps & { readonly messageId: string; readonly token: string }) {
  const { html, text } = message
  if (!html && !text) return <Text c="dimmed">{words.notKept}</Text>
  return (
    <Tabs defaultValue={html ? 'html' : 'text'} keepMounted={false}>
      <Tabs.List mb="md">
        {html && <Tabs.Tab value="html">{messages.views.html}</Tabs.Tab>}
        {text && <Tabs.Tab value="text">{messages.views.text}</Tabs.Tab>}
      </Tabs.List>
      {html && (
        <Tabs.Panel value="html">
          <ForeignDocument
            title={messages.htmlOf}
            src={withQuery(path`/api/shared/${messageId}/html`, { token })}
          />
        </Tabs.Panel>
      )}
      {text && (
        <Tabs.Panel value="text">
          <ForeignText text={text} what={messages.views.text} />
        </Tabs.Panel>
      )}
    </Tabs>
  )
}
