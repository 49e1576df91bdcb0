// Filters of the figures: domain, stream, tag and receiving provider.

import { Group } from '@mantine/core'
import { Choice as ChoiceField, SearchText } from '../../parts/filters.tsx'
import { statistics as words } from '../../texts/en/statistics.ts'
import type { Choice, Filter } from './choice.ts'
import { DomainChoice } from './domain-choice.tsx'

interface NarrowingsProps {
  readonly choice: Choice
  readonly change: (change: Filter) => void
}

export function Narrowings({ choice, change }: NarrowingsProps) {
  const { tag, provider } = choice
  return (
    <Group gap="xs" component="search" aria-label={words.title}>
      <DomainChoice choice={choice} change={change} />
      <SearchText
        label={words.tag}
        value={tag ?? ''}
        onChange={(value) => change({ tag: value, provider: '' })}
        error={undefined}
      />
      {provider !== undefined && (
        <ChoiceField
          label={words.provider}
          value={provider}
          onChange={(value) => change({ provider: value })}
          data={[{ value: provider, label: provider }]}
        />
      )}
    </Group>
  )
}
