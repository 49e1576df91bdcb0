// The Verification API keys of the account; users can create and revoke them.

import { Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconKey, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Secret } from '../../parts/secret.tsx'
import { useMay } from '../../session.ts'
import { verification as words } from '../../texts/en/verification.ts'
import { type KeyMade, VERIFICATION_KEYS } from '../keys/calls.ts'
import { CredentialTable } from '../keys/credential-table.tsx'
import { verifySnippets } from '../keys/http-snippets.ts'
import { NewCredential } from '../keys/new-credential.tsx'
import { SnippetTabs } from '../keys/snippet-tabs.tsx'
import { VerificationTabs } from './verification-tabs.tsx'

const texts = words.keys

export function Component() {
  const may = useMay('developer')
  const [making, { open, close }] = useDisclosure(false)
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      {texts.new}
    </Button>
  )
  return (
    <Page title={words.title} intro={texts.intro} actions={create}>
      <VerificationTabs />
      <CredentialTable
        place={VERIFICATION_KEYS}
        label={texts.label}
        mark={({ last4 }) => `verify_…${last4}`}
        empty={
          <EmptyState icon={<IconKey size={36} stroke={1.2} />} title={texts.none} action={create}>
            {texts.noneHint}
          </EmptyState>
        }
      />
      <NewCredential<KeyMade>
        place={VERIFICATION_KEYS}
        noun="verification"
        opened={making}
        onClose={close}
        shown={({ key }) => (
          <>
            <Secret what={texts.theKey} value={key} />
            <Text fz="sm" fw={500}>
              {texts.verify}
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
