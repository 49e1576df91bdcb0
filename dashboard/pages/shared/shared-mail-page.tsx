// Page of a shared link that shows a message of a test inbox without a login until the link expires.

import { Box, Container, List, Stack, Tabs, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useParams, useSearchParams } from 'react-router'
import type { SharedMailView } from '../../../src/api/contract/dashboard-inboxes.ts'
import { get, path, withQuery } from '../../client.ts'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ForeignDocument } from '../../parts/foreign-frame.tsx'
import { ForeignText } from '../../parts/foreign-text.tsx'
import { Loading } from '../../parts/loading.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { Time } from '../../parts/time.tsx'
import { Mark } from '../../shell/mark.tsx'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { messages } from '../../texts/en/messages.ts'
import { shared } from '../../texts/en/shared.ts'
import { written } from '../inboxes/calls.ts'
import { Without } from '../messages/content.tsx'

const sharedQuery = (mailId: string, token: string) =>
  queryOptions({
    queryKey: ['shared mail', mailId, token],
    queryFn: ({ signal }) => get<SharedMailView>(path`/api/shared-mails/${mailId}`, { token }, signal),
    refetchInterval: 60_000,
  })

export function Component() {
  const { mailId = '' } = useParams()
  const token = useSearchParams()[0].get('token') ?? ''
  const { data: mail, error, refetch } = useQuery(sharedQuery(mailId, token))
  const title = mail === undefined ? shared.title : mail.subject || messages.noSubject
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
      {mail !== undefined ? (
        <Stack gap="lg">
          <About mail={mail} />
          <Content mail={mail} token={token} />
        </Stack>
      ) : error === null ? (
        <Loading />
      ) : (
        <ErrorNotice error={error} again={refetch} />
      )}
    </Container>
  )
}

interface MailProps {
  readonly mail: SharedMailView
}

const About = ({ mail }: MailProps) => (
  <Card>
    <Facts
      facts={[
        [words.from, mail.from && written([mail.from])],
        [words.to, written(mail.to)],
        ['Cc', written(mail.cc)],
        [words.receivedAt, <Time key="at" at={mail.received_at} exact />],
        [words.size, byteSize(mail.size)],
        [words.attachments, mail.attachments.length > 0 && <Files key="files" mail={mail} />],
      ]}
    />
  </Card>
)

const Files = ({ mail: { attachments } }: MailProps) => (
  <List listStyleType="none" fz="sm">
    {attachments.map(({ number, filename, size }) => (
      <List.Item key={number}>
        {filename ?? words.unnamedFile} · {byteSize(size)}
      </List.Item>
    ))}
  </List>
)

function Content({ mail: { mail_id: id, html, text }, token }: MailProps & { readonly token: string }) {
  if (html === null && text === null) return <Without title={messages.noText} />
  return (
    <Tabs defaultValue={html === null ? 'text' : 'html'} keepMounted={false}>
      <Tabs.List mb="md">
        {html !== null && <Tabs.Tab value="html">{messages.views.html}</Tabs.Tab>}
        {text !== null && <Tabs.Tab value="text">{messages.views.text}</Tabs.Tab>}
      </Tabs.List>
      {html !== null && (
        <Tabs.Panel value="html">
          <ForeignDocument
            title={messages.htmlOf}
            src={withQuery(path`/api/shared-mails/${id}/html`, { token })}
          />
        </Tabs.Panel>
      )}
      {text !== null && (
        <Tabs.Panel value="text">
          <ForeignText text={text} what={messages.views.text} />
        </Tabs.Panel>
      )}
    </Tabs>
  )
}
