// Table of a list from the API, with filter fields, filters that a link has set, and rows.

import { Button, Stack } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { Card } from './card.tsx'
import { DataTable } from './data-table.tsx'
import { EmptyState } from './empty-state.tsx'
import { IconMailSearch, IconX } from './icons.tsx'

/** A filter without a field, which the user can only remove. */
export interface Narrowing {
  /** Label of the filter, such as `Stream: newsletter`. */
  readonly label: string
  readonly remove: () => void
}

interface FilteredTableProps<Row> extends ComponentProps<typeof DataTable<Row>> {
  /** Filter fields; the first field is the widest. */
  readonly fields: ReactNode
  readonly narrowings?: readonly Narrowing[]
  /** True if any filter is set. */
  readonly filtered: boolean
  readonly clear: () => void
  /** Title for an empty result, and a hint about the values that the fields match. */
  readonly nothing: { readonly title: string; readonly hint: ReactNode }
}

export function FilteredTable<Row>(props: FilteredTableProps<Row>) {
  const { fields, narrowings = [], filtered, clear, nothing, empty, ...table } = props
  return (
    <Stack gap="md">
      <search className="filters filters-in-view" aria-label={table.label}>
        {fields}
        {narrowings.map(({ label, remove }) => (
          <Button
            key={label}
            variant="default"
            size="sm"
            maw="100%"
            aria-label={fill(tables.removeFilter, { label })}
            rightSection={<IconX size={14} />}
            onClick={remove}
          >
            {label}
          </Button>
        ))}
        {filtered && (
          <Button variant="subtle" color="gray" size="sm" leftSection={<IconX size={14} />} onClick={clear}>
            {tables.clear}
          </Button>
        )}
      </search>
      <Card flush>
        <DataTable {...table} empty={filtered ? <NothingFound {...nothing} clear={clear} /> : empty} />
      </Card>
    </Stack>
  )
}

interface NothingFoundProps {
  readonly title: string
  readonly hint: ReactNode
  readonly clear: () => void
}

const NothingFound = ({ title, hint, clear }: NothingFoundProps) => (
  <EmptyState
    icon={<IconMailSearch size={32} stroke={1.4} />}
    title={title}
    action={
      <Button variant="default" onClick={clear}>
        {tables.clearFilters}
      </Button>
    }
  >
    {hint}
  </EmptyState>
)
