// A link that is shown only once, with a button to copy it.

import { Group } from '@mantine/core'
import { tables } from '../texts/en/tables.ts'
import { CopyButton } from './copy-button.tsx'

export function LinkOnce({ url }: { readonly url: string }) {
  return (
    <Group wrap="nowrap" gap="xs" className="block" style={{ overflow: 'visible' }}>
      <span className="code-line" style={{ flex: 1, minWidth: 0 }}>
        {url}
      </span>
      <CopyButton text={url} what={tables.theLink} />
    </Group>
  )
}
