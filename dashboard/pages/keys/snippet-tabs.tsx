// Ready programs in several languages, one shown at a time.

import { Group, Tabs } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
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
            <CopyButton text={code} what={`${name} example`} label="Copy" />
          </Group>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be scrolled by keyboard */}
          <section className="snippet" tabIndex={0} aria-label={`${name} example`}>
            <pre>{code}</pre>
          </section>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
