// The SMTP credentials of a domain.

import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlug, IconPlus } from '@tabler/icons-react'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Page } from '../../parts/page.tsx'
import { Secret } from '../../parts/secret.tsx'
import { useMay } from '../../session.ts'
import { useDomainId, useDomainName } from '../domains/workspace.ts'
import { type SmtpCredentialMade, smtpCredentialsOf } from './calls.ts'
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
            Create one to send from any application that supports SMTP. Host, port and code examples are shown
            with it.
          </EmptyState>
        }
      />
      <NewCredential<SmtpCredentialMade>
        place={smtpCredentialsOf(domainId)}
        noun="SMTP credential"
        opened={opened}
        onClose={close}
        shown={(made) => <Made made={made} />}
      />
    </Page>
  )
}

function Made({ made }: { readonly made: SmtpCredentialMade }) {
  const domain = useDomainName() ?? 'example.com'
  return (
    <>
      <Secret what="the password" value={made.password} />
      <SnippetTabs snippets={smtpSnippets({ ...made, from: `hello@${domain}`, to: 'you@example.net' })} />
    </>
  )
}
