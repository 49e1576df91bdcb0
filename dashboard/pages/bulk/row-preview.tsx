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
import { addressOf, modelOf, type NamedColumn } from './columns.ts'
import type { Table } from './read-table.ts'
import { TestRow } from './test-row.tsx'

interface RowPreviewProps {
  readonly domainId: string
  readonly table: Table
  readonly columns: readonly NamedColumn[]
  readonly templateId: string | null
  /** Fields of a test message other than its recipient and variables; undefined if fields are missing. */
  readonly message: object | undefined
}

/** Maximum number of rows that the user can preview. */
const MAX_SHOWN = 5

export function RowPreview(props: RowPreviewProps) {
  const { domainId, columns, templateId, message } = props
  const { rows } = props.table
  const [index, setIndex] = useState(0)
  const row = rows[index] ?? []
  const model = modelOf(columns, row)
  const rendered = useQuery({
    ...rowPreviewQuery(domainId, templateId, model),
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
          <TestRow
            domainId={domainId}
            message={message === undefined ? undefined : { ...message, template_model: model }}
          />
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
