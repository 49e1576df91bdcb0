// Filters of the list of messages; all filters are in the URL, so that users can share them.

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ProblemError } from '../../client.ts'
import { Choice, Moment, SearchText, useAddressFilter } from '../../parts/filters.tsx'
import { IconAdjustmentsHorizontal, IconX } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { tables } from '../../texts/en/tables.ts'
import { fill } from '../../texts/texts.ts'
import { useDomainId } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { FILTERS, type Filter } from './calls.ts'

const STATUSES = [
  'scheduled',
  'queued',
  'sending',
  'deferred',
  'delivered',
  'partially_delivered',
  'bounced',
  'suppressed',
  'failed',
  'cancelled',
]

const PERIODS = ['1h', '24h', '7d', '30d', 'between'] as const

/** Returns the filter in the URL, and a function that changes it. */
export const useFilter = (): [Filter, (change: Filter) => void] => useAddressFilter(FILTERS)

interface FilterBarProps {
  readonly filter: Filter
  readonly change: (change: Filter) => void
  readonly error: Error | null
}

export function FilterBar({ filter, change, error }: FilterBarProps) {
  const streams = useQuery(streamsQuery(useDomainId()))
  const problem = (field: string) => (error instanceof ProblemError ? error.field(field) : undefined)
  const [more, setMore] = useState(false)
  const count = Object.keys(filter).filter((name) => name !== 'recipient').length
  const text = (name: 'recipient' | 'subject' | 'tag', label: string) => (
    <SearchText
      label={label}
      value={filter[name] ?? ''}
      onChange={(value) => change({ [name]: value })}
      error={problem(name)}
    />
  )
  return (
    <search className="filters" data-more={more} aria-label={words.title}>
      {text('recipient', words.recipient)}
      <Button
        className="filters-more"
        variant="default"
        aria-expanded={more}
        onClick={() => setMore(!more)}
        leftSection={<IconAdjustmentsHorizontal size={16} stroke={1.6} />}
      >
        {count > 0 ? fill(words.filtersCount, { count }) : words.filters}
      </Button>
      {text('subject', words.subject)}
      {text('tag', words.tag)}
      <Choice
        label={words.status}
        value={filter.status}
        onChange={(status) => change({ status })}
        data={STATUSES.map((value) => ({ value, label: inWords(value) }))}
      />
      <Choice
        label={words.stream}
        value={filter.stream}
        onChange={(stream) => change({ stream })}
        data={(streams.data?.data ?? []).map(({ alias, name }) => ({ value: alias, label: name }))}
      />
      <Choice
        label={words.time}
        value={filter.period}
        onChange={(period) => change({ period, after: '', before: '' })}
        data={PERIODS.map((value) => ({ value, label: words.periods[value] }))}
      />
      {filter.period === 'between' && (
        <>
          <Moment label={words.from} value={filter.after} onChange={(after) => change({ after })} />
          <Moment label={words.until} value={filter.before} onChange={(before) => change({ before })} />
        </>
      )}
      {Object.keys(filter).length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          leftSection={<IconX size={14} />}
          onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, ''])))}
        >
          {tables.clear}
        </Button>
      )}
    </search>
  )
}
