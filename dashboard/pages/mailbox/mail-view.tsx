// One mail of the mailbox: what it says, how its signatures were checked, which message it was.

import { Badge, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ForeignDocument } from '../../parts/foreign-frame.tsx'
import { ForeignText } from '../../parts/foreign-text.tsx'
import { IconMailForward } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { octets } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { messages } from '../../texts/en/messages.ts'
import { Cut, Fetched, HeaderTable, Without } from '../messages/content.tsx'
import { type Mail, type Mailbox, mailQuery, rawQuery, type Signature } from './calls.ts'

export function MailView({ id }: { readonly id: string }) {
  const { data: mail, error, refetch } = useQuery(mailQuery(id))
  const { search } = useLocation()
  return (
    <Stack gap="md">
      <BackLink to={{ pathname: '/mailbox', search }} hiddenFrom="md">
        All messages
      </BackLink>
      {mail === undefined ? (
        <Card>{error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}</Card>
      ) : (
        <>
          <Card
            title={mail.subject || '(no subject)'}
            actions={
              mail.message !== null && (
                <Button
                  component={Link}
                  to={`/domains/${mail.message.domain_id}/messages/${mail.message.message_id}`}
                  variant="default"
                  size="xs"
                  leftSection={<IconMailForward size={16} stroke={1.6} />}
                >
                  Open in Messages
                </Button>
              )
            }
          >
            <About mail={mail} />
          </Card>
          <Views mail={mail} />
        </>
      )}
    </Stack>
  )
}

const written = (all: readonly Mailbox[]): string =>
  all.map(({ name, address }) => (name ? `${name} <${address}>` : address)).join(', ')

function About({ mail }: { readonly mail: Mail }) {
  return (
    <Facts
      facts={[
        ['From', written(mail.from)],
        ['To', written(mail.to)],
        ['Cc', written(mail.cc)],
        ['Delivered to', mail.rcpt_to],
        [
          'Return path',
          <span key="path" className="code-line">
            {mail.mail_from || '<>'}
          </span>,
        ],
        ['Received', <Time key="at" at={mail.received_at} exact />],
        ['Connection', mail.tls === null ? 'Not encrypted' : `Encrypted (${mail.tls})`],
        ['Size', octets(mail.size)],
        ['Attachments', mail.attachments.length > 0 && <Files key="files" mail={mail} />],
      ]}
    />
  )
}

/** Names and sizes only: what is in them was written by strangers. */
const Files = ({ mail }: { readonly mail: Mail }) => (
  <Group gap="xs">
    {mail.attachments.map(({ filename, contentType, size }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a mail never changes
      <Badge key={index} variant="default" tt="none" fw={400} maw="100%">
        {filename ?? contentType} · {octets(size)}
      </Badge>
    ))}
  </Group>
)

function Views({ mail }: { readonly mail: Mail }) {
  const passed = mail.dkim.filter(({ result }) => result === 'pass').length
  return (
    <Tabs defaultValue={mail.html === undefined ? 'text' : 'html'} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="html">HTML</Tabs.Tab>
        <Tabs.Tab value="text">Text</Tabs.Tab>
        <Tabs.Tab value="headers">Headers</Tabs.Tab>
        <Tabs.Tab value="source">Source</Tabs.Tab>
        <Tabs.Tab value="dkim">
          DKIM {passed} of {mail.dkim.length}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <Card>
          {mail.incomplete && <Cut whole={mail.raw_url} name={mail.id} />}
          {mail.html === undefined ? (
            <Without title={messages.noHtml} />
          ) : (
            <ForeignDocument title="HTML of the message" src={mail.html_url} />
          )}
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <Card>
          {mail.incomplete && <Cut whole={mail.raw_url} name={mail.id} />}
          {mail.text ? <ForeignText text={mail.text} what="text" /> : <Without title={messages.noText} />}
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <Card>
          <HeaderTable headers={mail.headers.map(([name, value]) => ({ name, value }))} />
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <Source id={mail.id} />
      </Tabs.Panel>
      <Tabs.Panel value="dkim">
        <Signatures signatures={mail.dkim} />
      </Tabs.Panel>
    </Tabs>
  )
}

function Source({ id }: { readonly id: string }) {
  const query = useQuery(rawQuery(id))
  return (
    <Fetched query={query}>
      {(raw) => (
        <ForeignText
          text={raw}
          what="source"
          download={{ href: `/playground/mailbox/${id}/raw`, name: `${id}.eml` }}
        />
      )}
    </Fetched>
  )
}

const WORDS = {
  pass: ['Valid', 'good'],
  fail: ['Invalid', 'bad'],
  permerror: ['Unusable', 'bad'],
  temperror: ['Not checked', 'waiting'],
} as const

function Signatures({ signatures }: { readonly signatures: readonly Signature[] }) {
  return (
    <Card
      title="Signatures"
      intro="The received message checked against the DKIM keys now in the DNS of the playground (RFC 6376)."
    >
      {signatures.length === 0 && <Text fz="sm">The message has no DKIM signature.</Text>}
      <Stack gap="lg">
        {signatures.map(({ result, explanation, domain, algorithm, key_name, covers }) => (
          <section key={`${key_name} ${algorithm}`}>
            <Group justify="space-between">
              <Title order={3}>{domain}</Title>
              <StatusBadge status={result} label={WORDS[result][0]} tone={WORDS[result][1]} />
            </Group>
            <Text fz="sm" mb="xs">
              {explanation}
            </Text>
            <Facts
              facts={[
                ['Algorithm', algorithm],
                [
                  'Key',
                  <span key="key" className="code-line">
                    {key_name}
                  </span>,
                ],
                ['Covers', [...covers, 'body'].join(', ')],
              ]}
            />
          </section>
        ))}
      </Stack>
    </Card>
  )
}
