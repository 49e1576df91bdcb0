// The form for a new bulk: file, uses of its columns, template, stream, and a preview of a row.

import { Group, Stack, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import '@mantine/dropzone/styles.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { newKey } from '../../client.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { BackLink } from '../../parts/back-link.tsx'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Page } from '../../parts/page.tsx'
import { InputError } from '../../parts/problem-words.ts'
import { requireContent, TABLE_TYPES } from '../../parts/table-file.ts'
import { bulk as words } from '../../texts/en/bulk.ts'
import { CannotSend } from '../domains/cannot-send.tsx'
import { useDomainId, useDomainName } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { asCsv, createBulk } from './calls.ts'
import { ColumnChoices } from './column-choices.tsx'
import { type Column, columnName, guessColumns } from './columns.ts'
import { type Message, MessageFields } from './message-fields.tsx'
import { readTable, type Table, withColumns } from './read-table.ts'
import { RowPreview } from './row-preview.tsx'

/** Maximum size of a list in bytes that the service accepts by default. */
const MAX_BYTES = 50 * 1024 * 1024

export function Component() {
  const domainId = useDomainId()
  const [list, setList] = useState<List>()
  const reading = useMutation({
    mutationFn: async (file: File | undefined): Promise<List> => {
      if (file === undefined) throw new InputError(words.new.wrongFile)
      await requireContent(file)
      const table = await readTable(await asCsv(file))
      return { table, columns: guessColumns(table.columns), key: newKey() }
    },
    onSuccess: setList,
  })
  return (
    <Page
      title={words.upload}
      above={<BackLink to={`/domains/${domainId}/bulk`}>{words.title}</BackLink>}
      intro={words.new.intro}
    >
      <Stack gap="lg">
        <CannotSend domainId={domainId} />
        <Dropzone
          onDrop={([file]) => reading.mutate(file)}
          onReject={() => reading.mutate(undefined)}
          accept={TABLE_TYPES}
          loading={reading.isPending}
          maxSize={MAX_BYTES}
          maxFiles={1}
          multiple={false}
          p="lg"
          inputProps={{ 'aria-label': words.new.file }}
        >
          <Text ta="center" fw={500} style={{ pointerEvents: 'none' }}>
            {list === undefined ? words.new.drop : list.table.file.name}
          </Text>
        </Dropzone>
        <ErrorNotice error={reading.error} />
        {list !== undefined && (
          <NewBulk
            key={list.key}
            domainId={domainId}
            list={list}
            onColumns={(columns) => setList({ ...list, columns })}
          />
        )}
      </Stack>
    </Page>
  )
}

/** A file with the uses of its columns; the idempotency key makes a repeated request create the same bulk. */
interface List {
  readonly table: Table
  readonly columns: readonly Column[]
  readonly key: string
}

interface NewBulkProps {
  readonly domainId: string
  readonly list: List
  readonly onColumns: (columns: readonly Column[]) => void
}

function NewBulk({ domainId, list: { table, columns, key }, onColumns }: NewBulkProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const domain = useDomainName()
  const streams = (useQuery(streamsQuery(domainId)).data?.data ?? []).filter(
    ({ archived, kind }) => !archived && kind !== 'inbound',
  )
  const [message, setMessage] = useState<Message>({ from: '', fromName: '', template: null, tag: '' })
  const stream = message.stream ?? streams.find(({ kind }) => kind === 'broadcast')?.alias
  const problem = problemOf(columns, message)
  const sending = useMutation({
    mutationFn: () =>
      createBulk(
        domainId,
        withColumns(table, columns.map(columnName)),
        {
          name: table.file.name.slice(0, 200),
          column: 'email',
          from: `${message.from.trim()}@${domain}`,
          from_name: message.fromName.trim(),
          template_id: message.template,
          stream,
          tag: message.tag.trim(),
        },
        key,
      ),
    onSuccess: async ({ bulk_id }) => {
      await queries.invalidateQueries({ queryKey: ['domains', domainId, 'bulks'] })
      navigate(`/domains/${domainId}/bulk/${bulk_id}`)
    },
  })
  return (
    <>
      <Card title={words.new.message}>
        <MessageFields
          domainId={domainId}
          domain={domain}
          streams={streams}
          message={{ ...message, stream }}
          onChange={setMessage}
        />
      </Card>
      <Card title={words.new.columns} intro={words.new.columnsHint}>
        <ColumnChoices columns={columns} row={table.rows[0] ?? []} onChange={onColumns} />
      </Card>
      <RowPreview domainId={domainId} table={table} columns={columns} templateId={message.template} />
      <ErrorNotice error={sending.error} />
      <Group justify="flex-end">
        {problem !== undefined && (
          <Text fz="sm" c="dimmed">
            {problem}
          </Text>
        )}
        <ActionButton
          loading={sending.isPending}
          disabled={problem !== undefined || domain === undefined}
          onClick={() => sending.mutate()}
        >
          {words.new.send}
        </ActionButton>
      </Group>
    </>
  )
}

/** Returns the reason why the bulk cannot be sent yet. */
function problemOf(columns: readonly Column[], { from, template }: Message): string | undefined {
  if (template === null) return words.new.chooseTemplate
  if (from.trim() === '') return words.new.giveSender
  const addresses = columns.filter(({ use }) => use === 'to').length
  return addresses === 1 ? undefined : words.new.chooseAddress
}
