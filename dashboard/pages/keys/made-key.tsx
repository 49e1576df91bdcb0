// A new secret of a management key, with a request that shows the rights of the key.

import { Text } from '@mantine/core'
import { Secret } from '../../parts/secret.tsx'
import { keys } from '../../texts/en/keys.ts'
import { managementKeys as words } from '../../texts/en/management-keys.ts'
import type { KeyMade } from './calls.ts'
import { rightsSnippets } from './http-snippets.ts'
import { SnippetTabs } from './snippet-tabs.tsx'

export const MadeKey = ({ made: { key } }: { readonly made: KeyMade }) => (
  <>
    <Secret what={keys.key.secret} value={key} />
    <Text fz="sm" fw={500}>
      {words.showRights}
    </Text>
    <SnippetTabs snippets={rightsSnippets({ baseUrl: `${window.location.origin}/v1`, key })} />
  </>
)
