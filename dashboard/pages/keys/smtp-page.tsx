// The list of the SMTP credentials of a domain.

import { Button, Group, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Card } from '../../parts/card.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Facts } from '../../parts/facts.tsx'
import { IconPlug, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Secret } from '../../parts/secret.tsx'
import { useMay } from '../../session.ts'
import { keys } from '../../texts/en/keys.ts'
import { fill } from '../../texts/texts.ts'
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId, useDomainName } from '../domains/workspace.ts'
import { credentialsQuery, type SmtpCredentialMade, smtpCredentialsOf } from './calls.ts'
import { CredentialTable } from './credential-table.tsx'
import { NewCredential } from './new-credential.tsx'
import { smtpSettings } from './smtp-settings.ts'
import { type SmtpAccess, smtpSnippets } from './smtp-snippets.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

export function Component() {
  const words = keys.smtp
  const domainId = useDomainId()
  const may = useMay('developer')
  const [opened, { open, close }] = useDisclosure()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {words.add}
    </Button>
  )
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Stack gap="lg">
        <CannotSend domainId={domainId} />
        <Settings domainId={domainId} />
        <CredentialTable
          place={smtpCredentialsOf(domainId)}
          label={words.title}
          mark={({ id }) => id}
          empty={
            <EmptyState icon={<IconPlug size={32} stroke={1.4} />} title={words.none} action={create}>
              {words.noneHint}
            </EmptyState>
          }
        />
        <Examples domainId={domainId} />
      </Stack>
      <NewCredential<SmtpCredentialMade>
        place={smtpCredentialsOf(domainId)}
        noun="smtp"
        opened={opened}
        onClose={close}
        shown={(made) => (
          <>
            <CannotSend domainId={domainId} />
            <Made made={made} />
          </>
        )}
      />
    </Page>
  )
}

/** Host, port and encryption, which every SMTP program needs in addition to a credential. */
function Settings({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(credentialsQuery(smtpCredentialsOf(domainId)))
  const listener = data?.listener
  if (listener === undefined) return null
  const words = keys.smtp
  const { host, port, tls_port: tlsPort, self_signed: selfSigned } = listener
  return (
    <Card title={words.settings}>
      <Facts
        facts={[
          [words.host, <Copied key="host" text={host} what={words.theHost} />],
          [words.port, fill(words.startTls, { port: String(port) })],
          [words.tlsPort, tlsPort === undefined ? undefined : String(tlsPort)],
          [words.userName, words.userNameHint],
          [words.certificate, selfSigned && words.selfSigned],
        ]}
      />
    </Card>
  )
}

/** Example programs for an existing credential, with placeholders for user name and password. */
function Examples({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(credentialsQuery(smtpCredentialsOf(domainId)))
  const listener = data?.listener
  if (listener === undefined) return null
  const access = { ...listener, username: 'YOUR_USER_NAME', password: 'YOUR_PASSWORD' }
  return (
    <Card title={keys.smtp.use} intro={keys.smtp.useHint}>
      <Snippets {...access} />
    </Card>
  )
}

const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <Group gap={4} wrap="nowrap">
    <span className="code-line">{text}</span>
    <CopyButton text={text} what={what} />
  </Group>
)

const Made = ({ made }: { readonly made: SmtpCredentialMade }) => (
  <>
    <Secret what={keys.smtp.secret} value={made.password} />
    <Snippets {...made} />
  </>
)

function Snippets(given: Omit<SmtpAccess, 'from' | 'to'>) {
  const domain = useDomainName() ?? 'example.com'
  const access = { ...given, from: `hello@${domain}`, to: 'you@example.net' }
  return <SnippetTabs snippets={[smtpSettings(access), ...smtpSnippets(access)]} />
}
