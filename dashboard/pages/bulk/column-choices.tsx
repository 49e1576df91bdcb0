// The columns of a list, each with an example value and a menu that selects the use of the column.

import { Select, Table, Text, TextInput } from '@mantine/core'
import { TableRoom } from '../../parts/table-room.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import { fill } from '../../texts/texts.ts'
import { type Column, type NamedColumn, USES, type Use } from './columns.ts'

/** Returns the name of a column for use within a sentence. */
const nameOf = (title: string, index: number): string =>
  title || fill(words.new.unnamedColumn, { number: index + 1 })

interface ColumnChoicesProps {
  readonly columns: readonly NamedColumn[]
  /** Row with example values. */
  readonly row: readonly string[]
  readonly onChange: (index: number, changes: Partial<Column>) => void
}

export function ColumnChoices({ columns, row, onChange }: ColumnChoicesProps) {
  const texts = words.new
  const choices = USES.map((value) => ({ value, label: texts.uses[value] }))
  return (
    <TableRoom label={texts.columns} blocks>
      <Table className="data-table" aria-label={texts.columns}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.column}</Table.Th>
            <Table.Th visibleFrom="sm">{texts.firstRow}</Table.Th>
            <Table.Th>{texts.usedAs}</Table.Th>
            <Table.Th>{texts.name}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map(({ title, use, name }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their places, and titles repeat
            <Table.Tr key={index}>
              <Table.Td data-head>{title || fill(texts.columnNumber, { number: index + 1 })}</Table.Td>
              <Table.Td visibleFrom="sm" data-title={texts.firstRow}>
                <Text fz="sm" c="dimmed" lineClamp={1}>
                  {row[index]}
                </Text>
              </Table.Td>
              <Table.Td data-title={texts.usedAs}>
                <Select
                  size="xs"
                  aria-label={fill(texts.useOf, { column: nameOf(title, index) })}
                  data={choices}
                  value={use}
                  onChange={(chosen) => chosen !== null && onChange(index, { use: chosen as Use })}
                  allowDeselect={false}
                />
              </Table.Td>
              <Table.Td data-title={texts.name}>
                {(use === 'variable' || use === 'metadata') && (
                  <TextInput
                    size="xs"
                    aria-label={fill(texts.nameOf, { column: nameOf(title, index) })}
                    value={name}
                    onChange={(event) => onChange(index, { typedName: event.currentTarget.value })}
                  />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </TableRoom>
  )
}
