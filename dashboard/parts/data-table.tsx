// A list of the service: rows that lead somewhere, pages by cursor kept in the address, and what is shown without rows.

import { Box, type BoxProps, Button, Group, Skeleton, Table, Text } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { Page } from '../client.ts'
import { ErrorNotice } from './error-notice.tsx'

export interface Column<Row> {
  /** Empty above buttons. */
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** Figures stand at the right. */
  readonly number?: boolean
  /** Left out on screens narrower than this. */
  readonly from?: 'xs' | 'sm' | 'md' | 'lg'
  readonly width?: BoxProps['w']
}

interface DataTableProps<Row> {
  /** Says what the table holds, for who cannot see it. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** The answer of the service, as a query gives it. */
  readonly query: {
    readonly data: Page<Row> | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  readonly keyOf: (row: Row) => string
  /** Target of a row's link; its first cell should hold the same link for the keyboard. */
  readonly linkOf?: (row: Row) => string
  readonly empty: ReactNode
  /** The name of the cursor in the address, where a page has several lists. */
  readonly cursor?: string
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, query, keyOf, linkOf, empty, cursor = 'cursor' } = props
  const { data, error } = query
  if (data === undefined && error !== null) {
    return (
      <Box p="md">
        <ErrorNotice error={error} again={query.refetch} />
      </Box>
    )
  }
  if (data !== undefined && data.data.length === 0) {
    return (
      <>
        {data.next_cursor === null ? (
          empty
        ) : (
          <Text c="dimmed" p="md">
            No matches so far; older entries have not been searched yet.
          </Text>
        )}
        <CursorPager next={data.next_cursor} name={cursor} />
      </>
    )
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be scrolled by keyboard */}
      <section className="table-scroll" aria-label={label} tabIndex={0}>
        <Table className="data-table" aria-label={label}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, number, from, width }) => (
                <Table.Th key={title} className={number ? 'number' : ''} visibleFrom={from} w={width}>
                  {title === '' ? <span className="visually-hidden">Actions</span> : title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data === undefined ? (
              <LoadingRows columns={columns.length} />
            ) : (
              data.data.map((row) => (
                <Row key={keyOf(row)} row={row} columns={columns} link={linkOf?.(row)} />
              ))
            )}
          </Table.Tbody>
        </Table>
      </section>
      <CursorPager next={data?.next_cursor ?? null} name={cursor} />
    </>
  )
}

interface RowProps<R> {
  readonly row: R
  readonly columns: readonly Column<R>[]
  readonly link: string | undefined
}

function Row<R>({ row, columns, link }: RowProps<R>) {
  const navigate = useNavigate()
  return (
    <Table.Tr
      data-link={link}
      onClick={(event) => {
        // Links and buttons inside do their own; text that is being marked is left alone.
        const inside = (event.target as Element).closest('a, button, input, label')
        if (link !== undefined && inside === null && `${getSelection() ?? ''}` === '') navigate(link)
      }}
    >
      {columns.map(({ title, cell, number, from }) => (
        <Table.Td key={title} className={number ? 'number' : ''} visibleFrom={from}>
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function LoadingRows({ columns }: { readonly columns: number }) {
  return ['first', 'second', 'third'].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton h={18} />
      </Table.Td>
    </Table.Tr>
  ))
}

/** The cursor that the address names, for the query of a list. */
export function useCursor(name = 'cursor'): string | undefined {
  return useSearchParams()[0].get(name) ?? undefined
}

/** Buttons to the next page and back to the first; nothing when everything is on one. */
function CursorPager({ next, name }: { readonly next: string | null; readonly name: string }) {
  const [search, setSearch] = useSearchParams()
  const later = search.has(name)
  if (!later && next === null) return null
  const go = (cursor: string | null) =>
    setSearch((before) => {
      const after = new URLSearchParams(before)
      if (cursor === null) after.delete(name)
      else after.set(name, cursor)
      return after
    })
  return (
    <Group justify="space-between" px="md" py="sm" style={{ borderTop: '1px solid var(--line)' }}>
      <Button
        variant="default"
        size="xs"
        disabled={!later}
        leftSection={<IconChevronLeft size={14} />}
        onClick={() => go(null)}
      >
        First page
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        rightSection={<IconChevronRight size={14} />}
        onClick={() => go(next)}
      >
        Next page
      </Button>
    </Group>
  )
}
