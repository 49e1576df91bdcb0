// The Sending API keys of a domain.

import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { IconKey, IconPlus } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { Secret } from '../../parts/secret.tsx'
import { useMay } from '../../session.ts'
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId, useDomainName } from '../domains/workspace.ts'
import { type KeyMade, keysOf } from './calls.ts'
import { CredentialTable } from './credential-table.tsx'
import { httpSnippets } from './http-snippets.ts'
import { NewCredential } from './new-credential.tsx'
import { SnippetTabs } from './snippet-tabs.tsx'

export function Component() {
  const domainId = useDomainId()
  const may = useMay('developer')
  const [opened, { open, close }] = useDisclosure()
  const create = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New key
    </Button>
  )
  return (
    <Page
      title="API keys"
      intro="An API key can send from this domain and read its messages, and nothing else."
      actions={create}
    >
      <Stack gap="lg">
        <CannotSend domainId={domainId} />
        <CredentialTable
          place={keysOf(domainId)}
          label="API keys"
          mark={({ last4 }) => `send_…${last4}`}
          empty={
            <EmptyState icon={<IconKey size={32} stroke={1.4} />} title="No API keys yet" action={create}>
              Create one to send through the API.
            </EmptyState>
          }
        />
        <Card title="Send with an API key" intro="Replace YOUR_KEY with one of your API keys.">
          <Snippets value="YOUR_KEY" />
        </Card>
      </Stack>
      <NewCredential<KeyMade>
        place={keysOf(domainId)}
        noun="API key"
        opened={opened}
        onClose={close}
        shown={({ key }) => (
          <>
            <CannotSend domainId={domainId} />
            <Secret what="the key" value={key} />
            <Text fz="sm" fw={500}>
              Send a message
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
