// Each column of a list with a value of it, and the choice of what it is.

import { Select, Table, Text, TextInput } from '@mantine/core'
import { type Column, USES, type Use } from './columns.ts'

interface ColumnChoicesProps {
  readonly columns: readonly Column[]
  /** A row to show values of. */
  readonly row: readonly string[]
  readonly onChange: (columns: readonly Column[]) => void
}

const CHOICES = Object.entries(USES).map(([value, label]) => ({ value, label }))

export function ColumnChoices({ columns, row, onChange }: ColumnChoicesProps) {
  const change = (index: number, changes: Partial<Column>): void =>
    onChange(columns.map((column, at) => (at === index ? { ...column, ...changes } : column)))
  return (
    <Table className="data-table" aria-label="Columns">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Column</Table.Th>
          <Table.Th visibleFrom="sm">First row</Table.Th>
          <Table.Th>Used as</Table.Th>
          <Table.Th>Name</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {columns.map(({ title, use, name }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their places, and titles repeat
          <Table.Tr key={index}>
            <Table.Td>{title || `Column ${index + 1}`}</Table.Td>
            <Table.Td visibleFrom="sm">
              <Text fz="sm" c="dimmed" lineClamp={1}>
                {row[index]}
              </Text>
            </Table.Td>
            <Table.Td>
              <Select
                size="xs"
                aria-label={`Use of ${title || `column ${index + 1}`}`}
                data={CHOICES}
                value={use}
                onChange={(chosen) => chosen !== null && change(index, { use: chosen as Use })}
                allowDeselect={false}
              />
            </Table.Td>
            <Table.Td>
              {(use === 'variable' || use === 'metadata') && (
                <TextInput
                  size="xs"
                  aria-label={`Name of ${title || `column ${index + 1}`}`}
                  value={name}
                  onChange={(event) => change(index, { name: event.currentTarget.value })}
                />
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
