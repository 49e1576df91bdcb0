// The list of the Sending API keys of a domain.

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconKey, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Secret } from '../../parts/secret.tsx'
import { useMay } from '../../session.ts'
import { keys } from '../../texts/en/keys.ts'
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId, useDomainName } from '../domains/workspace.ts'
import { type KeyMade, keysOf } from './calls.ts'
import { CredentialTable } from './credential-table.tsx'
import { httpSnippets } from './http-snippets.ts'
import { NewCredential } from './new-credential.tsx'
import { SnippetTabs } from './snippet-tabs.tsx'

export function Component() {
  const words = keys.key
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
        <CredentialTable
          place={keysOf(domainId)}
          label={words.title}
          mark={({ last4 }) => `send_…${last4}`}
          empty={
            <EmptyState icon={<IconKey size={32} stroke={1.4} />} title={words.none} action={create}>
              {words.noneHint}
            </EmptyState>
          }
        />
        <Card title={words.use} intro={words.useHint}>
          <Snippets value="YOUR_KEY" />
        </Card>
      </Stack>
      <NewCredential<KeyMade>
        place={keysOf(domainId)}
        noun="key"
        opened={opened}
        onClose={close}
        shown={({ key }) => (
          <>
            <CannotSend domainId={domainId} />
            <Secret what={words.secret} value={key} />
            <Text fz="sm" fw={500}>
              {words.send}
            </Text>
            <Snippets value={key} />
          </>
        )}
      />
    </Page>
  )
}

function Snippets({ value }: { readonly value: string }) {
  const domain = useDomainName() ?? 'example.com'
  const baseUrl = `${window.location.origin}/v1`
  return (
    <SnippetTabs
      snippets={httpSnippets({ baseUrl, key: value, from: `hello@${domain}`, to: 'you@example.net' })}
    />
  )
}
