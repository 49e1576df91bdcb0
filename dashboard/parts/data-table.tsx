// Table of a list from the API: rows with links, pagination by a cursor in the URL, and content for an empty list.

import { Box, type BoxProps, Checkbox, Group, Skeleton, Table, Text } from '@mantine/core'
import { type ReactNode, useRef } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import type { Page } from '../client.ts'
import { tables } from '../texts/en/tables.ts'
import { fill } from '../texts/texts.ts'
import { ActionButton } from './action-button.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { IconChevronLeft, IconChevronRight } from './icons.tsx'
import { TableRoom } from './table-room.tsx'

export interface Column<Row> {
  /** Title of the column; empty for a column of buttons. */
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** True for numbers, which are right-aligned. */
  readonly number?: boolean
  /** Screen width below which the column is hidden. */
  readonly from?: 'xs' | 'sm' | 'md' | 'lg' | 'xl'
  readonly width?: BoxProps['w']
}

interface DataTableProps<Row> {
  /** Label of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Result of the query for the current page of the list. */
  readonly query: {
    readonly data: Page<Row> | undefined
    readonly error: Error | null
    readonly refetch: () => unknown
  }
  readonly keyOf: (row: Row) => string
  /** Returns the target of the link of a row; the first cell should contain the same link for keyboard users. */
  readonly linkOf?: (row: Row) => string
  readonly empty: ReactNode
  /** Name of the cursor in the URL, for a page with several lists. */
  readonly cursor?: string
  /**
   * True if rows that fit stay on one line on a phone; otherwise rows become blocks, so that their buttons are
   * visible.
   */
  readonly dense?: boolean
  /** Selected rows by their keys; undefined if rows cannot be selected. */
  readonly selection?: Selection | undefined
  /** Number of rows on all pages, in words. */
  readonly total?: string | undefined
}

interface Selection {
  readonly chosen: ReadonlySet<string>
  readonly change: (chosen: ReadonlySet<string>) => void
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, query, keyOf, linkOf, empty, cursor = 'cursor', dense = false, selection, total } = props
  const columns =
    selection === undefined ? props.columns : [choiceColumn<Row>(selection, keyOf), ...props.columns]
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
            {tables.noneSoFar}
          </Text>
        )}
        <CursorPager next={data.next_cursor} name={cursor} total={undefined} />
      </>
    )
  }
  return (
    <>
      <TableRoom label={label} blocks={!dense && !isOfFigures(props.columns)}>
        <Table className="data-table" aria-label={label} verticalSpacing={dense ? 8 : 'sm'}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ title, number, from, width }) =>
                title === CHOICE && selection !== undefined ? (
                  <Table.Th key={title} w={width}>
                    <ChooseAll keys={(data?.data ?? []).map(keyOf)} {...selection} />
                  </Table.Th>
                ) : (
                  <Table.Th key={title} className={number ? 'number' : ''} visibleFrom={from} w={width}>
                    {title === '' ? <span className="visually-hidden">{tables.actions}</span> : title}
                  </Table.Th>
                ),
              )}
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
      </TableRoom>
      <CursorPager next={data?.next_cursor ?? null} name={cursor} total={total} />
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
  const head = columns.findIndex(isHead)
  return (
    <Table.Tr
      data-link={link}
      onClick={(event) => {
        // A click on a link or button inside the row, or a text selection, does not follow the link of the row.
        const inside = (event.target as Element).closest('a, button, input, label')
        if (link !== undefined && inside === null && `${getSelection() ?? ''}` === '') navigate(link)
      }}
    >
      {columns.map(({ title, cell, number, from }, index) => {
        return (
          <Table.Td
            key={title}
            className={number ? 'number' : ''}
            visibleFrom={from}
            data-actions={title === '' || undefined}
            data-head={index === head || undefined}
            data-title={index === head || title === CHOICE ? undefined : title}
          >
            {cell(row)}
          </Table.Td>
        )
      })}
    </Table.Tr>
  )
}

/** True for a column that identifies the row on a phone. */
const isHead = <R,>({ title, number, from }: Column<R>): boolean =>
  title !== CHOICE && number !== true && from === undefined

/** True if all columns after the first contain figures, which users compare column by column. */
const isOfFigures = <R,>(columns: readonly Column<R>[]): boolean =>
  columns.slice(1).every(({ title, number }) => title !== '' && number === true)

function LoadingRows({ columns }: { readonly columns: number }) {
  return ['first', 'second', 'third'].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton h={18} />
      </Table.Td>
    </Table.Tr>
  ))
}

/** Returns the cursor in the URL, for the query of a list. */
export function useCursor(name = 'cursor'): string | undefined {
  return useSearchParams()[0].get(name) ?? undefined
}

const CHOICE = 'choice'

const choiceColumn = <Row,>({ chosen, change }: Selection, keyOf: (row: Row) => string): Column<Row> => ({
  title: CHOICE,
  width: 44,
  cell: (row) => {
    const key = keyOf(row)
    return (
      <Checkbox
        size="xs"
        aria-label={tables.selectRow}
        checked={chosen.has(key)}
        onChange={(event) =>
          change(
            event.currentTarget.checked ? chosen.union(new Set([key])) : chosen.difference(new Set([key])),
          )
        }
      />
    )
  },
})

/** Checkbox that selects all rows of the page or none. */
function ChooseAll({ keys, chosen, change }: Selection & { readonly keys: readonly string[] }) {
  const here = keys.filter((key) => chosen.has(key)).length
  return (
    <Checkbox
      size="xs"
      aria-label={tables.selectAll}
      checked={here > 0 && here === keys.length}
      indeterminate={here > 0 && here < keys.length}
      onChange={(event) => change(event.currentTarget.checked ? new Set(keys) : new Set())}
    />
  )
}

interface CursorPagerProps {
  readonly next: string | null
  readonly name: string
  readonly total: string | undefined
}

/** Cursors of the previous pages, null for the first page; the browser stores the cursors in its history. */
type EarlierPages = readonly (string | null)[]

/** Buttons to the previous and next page; no output if the list has only one page. */
function CursorPager({ next, name, total }: CursorPagerProps) {
  const [search, setSearch] = useSearchParams()
  const state = useLocation().state as Readonly<Record<string, EarlierPages>> | null
  const place = useRef<HTMLDivElement>(null)
  const present = search.get(name)
  const earlier = present === null ? [] : (state?.[`pages ${name}`] ?? [])
  if (present === null && next === null && total === undefined) return null
  const go = (cursor: string | null, before: EarlierPages) => {
    // A new page of the list is shown from its top.
    const list = place.current?.parentElement
    if ((list?.getBoundingClientRect().top ?? 0) < 0) list?.scrollIntoView()
    setSearch(
      (given) => {
        const after = new URLSearchParams(given)
        if (cursor === null) after.delete(name)
        else after.set(name, cursor)
        return after
      },
      { state: { ...state, [`pages ${name}`]: before } },
    )
  }
  // The page number is unknown if the user came by a link.
  const page = present === null ? 1 : earlier.length === 0 ? undefined : earlier.length + 1
  const pageInWords =
    present === null && next === null
      ? undefined
      : page === undefined
        ? undefined
        : fill(tables.page, { number: page })
  return (
    <Group
      ref={place}
      justify="space-between"
      px="md"
      py="sm"
      gap="xs"
      style={{ borderTop: '1px solid var(--line)' }}
    >
      <Text fz="sm" c="dimmed">
        {[pageInWords, total].filter((part) => part !== undefined).join(' · ')}
      </Text>
      {(present !== null || next !== null) && (
        <Group gap="xs">
          <ActionButton variant="default" size="xs" disabled={present === null} onClick={() => go(null, [])}>
            {tables.first}
          </ActionButton>
          <ActionButton
            variant="default"
            size="xs"
            disabled={earlier.length === 0}
            leftSection={<IconChevronLeft size={14} />}
            onClick={() => go(earlier.at(-1) ?? null, earlier.slice(0, -1))}
          >
            {tables.previous}
          </ActionButton>
          <ActionButton
            variant="default"
            size="xs"
            disabled={next === null}
            rightSection={<IconChevronRight size={14} />}
            onClick={() => go(next, [...earlier, present])}
          >
            {tables.next}
          </ActionButton>
        </Group>
      )}
    </Group>
  )
}
