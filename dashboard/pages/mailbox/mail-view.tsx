// A message of the mailbox: its content, the results of its DKIM signatures, and a link to the sent message.

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
import { byteSize } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { mailbox as words } from '../../texts/en/mailbox.ts'
import { messages } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { Cut, Fetched, HeaderTable, Without } from '../messages/content.tsx'
import { type Mail, type Mailbox, mailQuery, rawQuery, type Signature } from './calls.ts'

export function MailView({ id }: { readonly id: string }) {
  const { data: mail, error, refetch } = useQuery(mailQuery(id))
  const { search } = useLocation()
  return (
    <Stack gap="md">
      <BackLink to={{ pathname: '/mailbox', search }} hiddenFrom="md">
        {words.all}
      </BackLink>
      {mail === undefined ? (
        <Card>{error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}</Card>
      ) : (
        <>
          <Card
            title={mail.subject || messages.noSubject}
            actions={
              mail.message !== null && (
                <Button
                  component={Link}
                  to={`/domains/${mail.message.domain_id}/messages/${mail.message.message_id}`}
                  variant="default"
                  size="xs"
                  leftSection={<IconMailForward size={16} stroke={1.6} />}
                >
                  {words.open}
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
        [words.from, written(mail.from)],
        [words.to, written(mail.to)],
        ['Cc', written(mail.cc)],
        [words.deliveredTo, mail.rcpt_to],
        [
          words.returnPath,
          <span key="path" className="code-line">
            {mail.mail_from || '<>'}
          </span>,
        ],
        [words.receivedAt, <Time key="at" at={mail.received_at} exact />],
        [
          words.connection,
          mail.tls === null ? words.notEncrypted : fill(words.encrypted, { version: mail.tls }),
        ],
        [words.size, byteSize(mail.size)],
        [words.attachments, mail.attachments.length > 0 && <Files key="files" mail={mail} />],
      ]}
    />
  )
}

/** Names and sizes of attachments without their content, which may come from strangers. */
const Files = ({ mail }: { readonly mail: Mail }) => (
  <Group gap="xs">
    {mail.attachments.map(({ filename, contentType, size }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a mail never changes
      <Badge key={index} variant="default" tt="none" fw={400} maw="100%">
        {filename ?? contentType} · {byteSize(size)}
      </Badge>
    ))}
  </Group>
)

function Views({ mail }: { readonly mail: Mail }) {
  const passed = mail.dkim.filter(({ result }) => result === 'pass').length
  return (
    <Tabs defaultValue={mail.html === undefined ? 'text' : 'html'} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="html">{messages.views.html}</Tabs.Tab>
        <Tabs.Tab value="text">{messages.views.text}</Tabs.Tab>
        <Tabs.Tab value="headers">{messages.views.headers}</Tabs.Tab>
        <Tabs.Tab value="source">{messages.views.source}</Tabs.Tab>
        <Tabs.Tab value="dkim">{fill(words.signaturesPassed, { passed, all: mail.dkim.length })}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <Card>
          {mail.incomplete && <Cut whole={mail.raw_url} name={mail.id} />}
          {mail.html === undefined ? (
            <Without title={messages.noHtml} />
          ) : (
            <ForeignDocument title={messages.htmlOf} src={mail.html_url} />
          )}
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <Card>
          {mail.incomplete && <Cut whole={mail.raw_url} name={mail.id} />}
          {mail.text ? (
            <ForeignText text={mail.text} what={messages.views.text} />
          ) : (
            <Without title={messages.noText} />
          )}
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
          what={words.source}
          download={{ href: `/playground/mailbox/${id}/raw`, name: `${id}.eml` }}
        />
      )}
    </Fetched>
  )
}

const TONES = { pass: 'good', fail: 'bad', permerror: 'bad', temperror: 'waiting' } as const

function Signatures({ signatures }: { readonly signatures: readonly Signature[] }) {
  return (
    <Card title={words.signatures} intro={words.signaturesHint}>
      {signatures.length === 0 && <Text fz="sm">{words.noSignature}</Text>}
      <Stack gap="lg">
        {signatures.map(({ result, explanation, domain, algorithm, key_name, covers }) => (
          <section key={`${key_name} ${algorithm}`}>
            <Group justify="space-between">
              <Title order={3}>{domain}</Title>
              <StatusBadge status={result} label={words.results[result]} tone={TONES[result]} />
            </Group>
            <Text fz="sm" mb="xs">
              {explanation}
            </Text>
            <Facts
              facts={[
                [words.algorithm, algorithm],
                [
                  words.key,
                  <span key="key" className="code-line">
                    {key_name}
                  </span>,
                ],
                [words.covers, [...covers, words.body].join(', ')],
              ]}
            />
          </section>
        ))}
      </Stack>
    </Card>
  )
}
