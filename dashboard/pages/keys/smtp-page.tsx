// The SMTP credentials of a domain.

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
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId, useDomainName } from '../domains/workspace.ts'
import { credentialsQuery, type SmtpCredentialMade, smtpCredentialsOf } from './calls.ts'
import { CredentialTable } from './credential-table.tsx'
import { NewCredential } from './new-credential.tsx'
import { smtpSnippets } from './smtp-snippets.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

export function Component() {
  const domainId = useDomainId()
  const may = useMay('developer')
  const [opened, { open, close }] = useDisclosure()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New credential
    </Button>
  )
  return (
    <Page
      title="SMTP credentials"
      intro="For applications that send by SMTP. Messages sent by SMTP and through the API are treated alike."
      actions={create}
    >
      <Stack gap="lg">
        <CannotSend domainId={domainId} />
        <Settings domainId={domainId} />
        <CredentialTable
          place={smtpCredentialsOf(domainId)}
          label="SMTP credentials"
          mark={({ id }) => id}
          empty={
            <EmptyState
              icon={<IconPlug size={32} stroke={1.4} />}
              title="No SMTP credentials yet"
              action={create}
            >
              Create one to send from any application that supports SMTP.
            </EmptyState>
          }
        />
        <Examples domainId={domainId} />
      </Stack>
      <NewCredential<SmtpCredentialMade>
        place={smtpCredentialsOf(domainId)}
        noun="SMTP credential"
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

/** Host, port and encryption, which stand in every program that uses a credential. */
function Settings({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(credentialsQuery(smtpCredentialsOf(domainId)))
  const listener = data?.listener
  if (listener === undefined) return null
  const { host, port, tls_port: tlsPort, self_signed: selfSigned } = listener
  return (
    <Card title="Settings">
      <Facts
        facts={[
          ['Host', <Copied key="host" text={host} what="host" />],
          ['Port', `${port}, with STARTTLS`],
          ['Port with implicit TLS', tlsPort === undefined ? undefined : String(tlsPort)],
          ['User name', 'The name of a credential below, smtp_…'],
          ['Certificate', selfSigned && 'Self-signed: programs have to be told to accept it'],
        ]}
      />
    </Card>
  )
}

/** Programs with the settings filled in, for a credential that was made before. */
function Examples({ domainId }: { readonly domainId: string }) {
  const { data } = useQuery(credentialsQuery(smtpCredentialsOf(domainId)))
  const domain = useDomainName() ?? 'example.com'
  const listener = data?.listener
  if (listener === undefined) return null
  const access = { ...listener, username: 'YOUR_USER_NAME', password: 'YOUR_PASSWORD' }
  return (
    <Card
      title="Send with an SMTP credential"
      intro="Replace YOUR_USER_NAME and YOUR_PASSWORD with those of a credential."
    >
      <SnippetTabs snippets={smtpSnippets({ ...access, from: `hello@${domain}`, to: 'you@example.net' })} />
    </Card>
  )
}

const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <Group gap={4} wrap="nowrap">
    <span className="code-line">{text}</span>
    <CopyButton text={text} what={what} />
  </Group>
)

function Made({ made }: { readonly made: SmtpCredentialMade }) {
  const domain = useDomainName() ?? 'example.com'
  return (
    <>
      <Secret what="the password" value={made.password} />
      <SnippetTabs snippets={smtpSnippets({ ...made, from: `hello@${domain}`, to: 'you@example.net' })} />
    </>
  )
}
