// The Verification API keys of the account: made here, shown once, revoked.

import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconKey, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Secret } from '../../parts/secret.tsx'
import { useMay } from '../../session.ts'
import { type KeyMade, VERIFICATION_KEYS } from '../keys/calls.ts'
import { CredentialTable } from '../keys/credential-table.tsx'
import { verifySnippets } from '../keys/http-snippets.ts'
import { NewCredential } from '../keys/new-credential.tsx'
import { SnippetTabs } from '../keys/snippet-tabs.tsx'
import { VerificationTabs } from './verification-tabs.tsx'

export function Component() {
  const may = useMay('developer')
  const [making, { open, close }] = useDisclosure(false)
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New key
    </Button>
  )
  return (
    <Page
      title="Email Verification"
      intro="A Verification API key verifies addresses for the whole account. It cannot send."
      actions={create}
    >
      <VerificationTabs />
      <CredentialTable
        place={VERIFICATION_KEYS}
        label="Verification API keys"
        mark={({ last4 }) => `verify_…${last4}`}
        empty={
          <EmptyState icon={<IconKey size={36} stroke={1.2} />} title="No API keys yet" action={create}>
            Create one to verify addresses through the API.
          </EmptyState>
        }
      />
      <NewCredential<KeyMade>
        place={VERIFICATION_KEYS}
        noun="Verification API key"
        opened={making}
        onClose={close}
        shown={({ key }) => (
          <>
            <Secret what="the key" value={key} />
            <Text fz="sm" fw={500}>
              Verify an address
            </Text>
            <SnippetTabs
              snippets={verifySnippets({
                baseUrl: `${window.location.origin}/v1`,
                key,
                email: 'ann@example.net',
              })}
            />
          </>
        )}
      />
    </Page>
  )
}
