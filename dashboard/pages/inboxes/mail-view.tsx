// A message of a test inbox: its content, its links and codes, the results of its DKIM signatures, and a link to the
// sent message.

import { Anchor, Badge, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'
import { BackLink } from '../../parts/back-link.tsx'
import { Breakable } from '../../parts/breakable.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ForeignDocument } from '../../parts/foreign-frame.tsx'
import { ForeignText } from '../../parts/foreign-text.tsx'
import { IconMailForward, IconTrash } from '../../parts/icons.tsx'
import { Loading } from '../../parts/loading.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { ShareLink } from '../../parts/share-link.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { tell } from '../../parts/tell.ts'
import { Time } from '../../parts/time.tsx'
import { inboxes as words } from '../../texts/en/inboxes.ts'
import { messages } from '../../texts/en/messages.ts'
import { fill } from '../../texts/texts.ts'
import { Cut, Fetched, HeaderTable, RawSource, Without } from '../messages/content.tsx'
import {
  deleteMail,
  fileAddress,
  htmlAddress,
  type Mail,
  mailQuery,
  originQuery,
  rawAddress,
  rawQuery,
  type Signature,
  shareAddress,
  shareMail,
  written,
} from './calls.ts'
import { Copied } from './inbox-access.tsx'

interface MailViewProps {
  readonly inboxId: string
  readonly id: string
}

export function MailView({ inboxId, id }: MailViewProps) {
  const { data: mail, error, refetch } = useQuery(mailQuery(inboxId, id))
  const { search } = useLocation()
  return (
    <Stack gap="md">
      <BackLink to={{ pathname: `/inboxes/${inboxId}`, search }} hiddenFrom="md">
        {words.all}
      </BackLink>
      {mail === undefined ? (
        <Card>{error === null ? <Loading /> : <ErrorNotice error={error} again={refetch} />}</Card>
      ) : (
        <>
          <Card title={mail.subject || messages.noSubject} actions={<Actions mail={mail} />}>
            <About mail={mail} />
          </Card>
          <Views mail={mail} />
        </>
      )}
    </Stack>
  )
}

interface MailProps {
  readonly mail: Mail
}

function Actions({ mail: { inbox_id: inboxId, mail_id: id } }: MailProps) {
  const message = useQuery(originQuery(inboxId, id)).data?.message
  return (
    <>
      {message && (
        <Button
          component={Link}
          to={`/domains/${message.domain_id}/messages/${message.message_id}`}
          variant="default"
          size="xs"
          leftSection={<IconMailForward size={16} stroke={1.6} />}
        >
          {words.open}
        </Button>
      )}
      <ShareLink
        size="xs"
        hint={words.shareHint}
        address={shareAddress(inboxId, id)}
        create={(hours) => shareMail(inboxId, id, hours)}
      />
      <Remove inboxId={inboxId} id={id} />
    </>
  )
}

function Remove({ inboxId, id }: MailViewProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { search } = useLocation()
  const [opened, { open, close }] = useDisclosure()
  const removing = useMutation({
    mutationFn: () => deleteMail(inboxId, id),
    onSuccess: async () => {
      tell.done(words.removed)
      await queries.invalidateQueries({ queryKey: ['inboxes', inboxId, 'mails'] })
      await navigate({ pathname: `/inboxes/${inboxId}`, search })
    },
  })
  return (
    <>
      <Button variant="default" size="xs" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={open}>
        {words.remove}
      </Button>
      <Confirm
        opened={opened}
        onClose={() => {
          removing.reset()
          close()
        }}
        title={words.removeQuestion}
        action={words.remove}
        busy={removing.isPending}
        error={removing.error}
        onConfirm={() => removing.mutate()}
      >
        {words.removeHint}
      </Confirm>
    </>
  )
}

function About({ mail }: MailProps) {
  return (
    <Facts
      facts={[
        [words.from, mail.from && written([mail.from])],
        [words.to, <Addresses key="to" name={words.to} all={mail.to.map((one) => written([one]))} />],
        [
          'Cc',
          mail.cc.length > 0 && <Addresses key="cc" name="Cc" all={mail.cc.map((one) => written([one]))} />,
        ],
        ['Bcc', mail.bcc.length > 0 && <Addresses key="bcc" name="Bcc" all={mail.bcc} />],
        [words.deliveredTo, <Addresses key="delivered" name={words.deliveredTo} all={mail.recipients} />],
        [
          words.returnPath,
          <span key="path" className="code-line">
            <Breakable text={mail.return_path || '<>'} after="@" />
          </span>,
        ],
        [words.receivedAt, <Time key="at" at={mail.received_at} exact />],
        [words.connection, mail.tls !== null && fill(words.encrypted, { version: mail.tls })],
        [words.tags, mail.tags.length > 0 && <Tags key="tags" tags={mail.tags} />],
        [words.size, byteSize(mail.size)],
        [words.codes, mail.codes.length > 0 && <Codes key="codes" codes={mail.codes} />],
        [words.attachments, mail.attachments.length > 0 && <Files key="files" mail={mail} />],
      ]}
    />
  )
}

/** Number of lines that push the content of the message out of view; a longer list scrolls. */
const MANY = 6

interface AddressesProps {
  /** Name of the list for screen readers. */
  readonly name: string
  readonly all: readonly string[]
}

function Addresses({ name, all }: AddressesProps) {
  if (all.length <= MANY) return all.join(', ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="bounded" tabIndex={0} aria-label={name}>
      {all.join(',\n')}
    </section>
  )
}

const Tags = ({ tags }: Pick<Mail, 'tags'>) => (
  <Group gap="xs">
    {tags.map((tag) => (
      <Badge key={tag} variant="default" tt="none" fw={400} maw="100%">
        {tag}
      </Badge>
    ))}
  </Group>
)

const Codes = ({ codes }: Pick<Mail, 'codes'>) => (
  <Group gap="sm">
    {codes.map((code) => (
      <Copied key={code} text={code} what={words.theCode} />
    ))}
  </Group>
)

/** Files as downloads; the browser shows none of them, because they may come from strangers. */
const Files = ({ mail: { inbox_id, mail_id, attachments } }: MailProps) => (
  <ul className={attachments.length > MANY ? 'inbox-files bounded' : 'inbox-files'}>
    {attachments.map(({ number, filename, size }) => (
      <li key={number} className="with-count">
        <Anchor
          href={fileAddress(inbox_id, mail_id, number)}
          download={filename ?? true}
          fz="sm"
          title={filename ?? undefined}
        >
          {filename ?? words.unnamedFile}
        </Anchor>
        <Text span c="dimmed" fz="sm">
          {byteSize(size)}
        </Text>
      </li>
    ))}
  </ul>
)

function Views({ mail }: MailProps) {
  const { inbox_id: inboxId, mail_id: id } = mail
  const cut = mail.incomplete && <Cut whole={rawAddress(inboxId, id)} name={id} />
  return (
    <Tabs defaultValue={mail.html === null ? 'text' : 'html'} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="html">{messages.views.html}</Tabs.Tab>
        <Tabs.Tab value="text">{messages.views.text}</Tabs.Tab>
        <Tabs.Tab value="links">{fill(words.linksCount, { count: mail.links.length })}</Tabs.Tab>
        <Tabs.Tab value="headers">{messages.views.headers}</Tabs.Tab>
        <Tabs.Tab value="source">{messages.views.source}</Tabs.Tab>
        <Tabs.Tab value="dkim">{words.dkim}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <Card>
          {cut}
          {mail.html === null ? (
            <Without title={messages.noHtml} />
          ) : (
            <ForeignDocument title={messages.htmlOf} src={htmlAddress(inboxId, id)} />
          )}
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <Card>
          {cut}
          {mail.text ? (
            <ForeignText text={mail.text} what={messages.views.text} />
          ) : (
            <Without title={messages.noText} />
          )}
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="links">
        <Links links={mail.links} />
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <Card>
          <HeaderTable headers={mail.headers} />
        </Card>
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <Source inboxId={inboxId} id={id} />
      </Tabs.Panel>
      <Tabs.Panel value="dkim">
        <Signatures inboxId={inboxId} id={id} />
      </Tabs.Panel>
    </Tabs>
  )
}

/** The links as text with a button to copy; the page itself leads to no foreign address. */
const Links = ({ links }: Pick<Mail, 'links'>) => (
  <Card title={words.links} intro={words.linksHint}>
    {links.length === 0 ? (
      <Without title={words.noLinks} />
    ) : (
      <Stack gap={4} component="ul" className="inbox-links">
        {links.map((link) => (
          <li key={link}>
            <Copied text={link} what={words.theLink} />
          </li>
        ))}
      </Stack>
    )}
  </Card>
)

function Source({ inboxId, id }: MailViewProps) {
  const query = useQuery(rawQuery(inboxId, id))
  return <RawSource query={query} href={rawAddress(inboxId, id)} id={id} />
}

function Signatures({ inboxId, id }: MailViewProps) {
  const query = useQuery(originQuery(inboxId, id))
  return <Fetched query={query}>{({ signatures }) => <Results signatures={signatures} />}</Fetched>
}

const TONES = { pass: 'good', fail: 'bad', permerror: 'bad', temperror: 'waiting' } as const

function Results({ signatures }: { readonly signatures: readonly Signature[] }) {
  return (
    <>
      <Text fz="sm" c="dimmed" mb="md">
        {words.signaturesHint}
      </Text>
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
    </>
  )
}
