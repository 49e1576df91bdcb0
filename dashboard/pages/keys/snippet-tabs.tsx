// Example programs in several languages, one of which is visible.

import { Group, Tabs } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { tables } from '../../texts/en/tables.ts'
import { fill } from '../../texts/texts.ts'
import type { Snippet } from './http-snippets.ts'

export function SnippetTabs({ snippets }: { readonly snippets: readonly Snippet[] }) {
  return (
    <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
      <Tabs.List mb="xs">
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name} px="sm">
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name}>
          <Group justify="flex-end" mb={4}>
            <CopyButton text={code} what={fill(tables.example, { name })} label={tables.copy} />
          </Group>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <section className="snippet" tabIndex={0} aria-label={fill(tables.example, { name })}>
            <pre>{code}</pre>
          </section>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
