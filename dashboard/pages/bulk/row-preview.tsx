// Preview of one of the first rows as a message.

import { Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import { fill, parts } from '../../texts/texts.ts'
import { Preview } from '../templates/preview.tsx'
import { rowPreviewQuery } from './calls.ts'
import { addressOf, type Column, modelOf } from './columns.ts'
import type { Table } from './read-table.ts'

interface RowPreviewProps {
  readonly domainId: string
  readonly table: Table
  readonly columns: readonly Column[]
  readonly templateId: string | null
}

/** Maximum number of rows that the user can preview. */
const MAX_SHOWN = 5

export function RowPreview({ domainId, table: { rows }, columns, templateId }: RowPreviewProps) {
  const [index, setIndex] = useState(0)
  const row = rows[index] ?? []
  const rendered = useQuery({
    ...rowPreviewQuery(domainId, templateId, modelOf(columns, row)),
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (templateId === null) return null
  const shown = rows.slice(0, MAX_SHOWN)
  return (
    <Stack gap="sm">
      <Card>
        <Group justify="space-between">
          <Text fz="sm">
            {parts(words.new.toAddress, {
              address: (
                <span key="address" data-testid="row-address">
                  {addressOf(columns, row) || words.new.noAddress}
                </span>
              ),
            })}
          </Text>
          <SegmentedControl
            size="xs"
            aria-label={words.new.row}
            value={String(index)}
            onChange={(chosen) => setIndex(Number(chosen))}
            data={shown.map((_, at) => ({
              value: String(at),
              label: fill(words.new.rowNumber, { number: at + 1 }),
            }))}
          />
        </Group>
        {rendered.error !== null && <ErrorNotice error={rendered.error} />}
      </Card>
      {rendered.error === null && (
        <Preview noun="template" rendered={rendered.data} stale={rendered.isPlaceholderData} />
      )}
    </Stack>
  )
}
