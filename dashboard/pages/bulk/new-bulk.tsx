// The form for a new bulk: message, uses of the columns, and a preview of a row.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { bulk as words } from '../../texts/en/bulk.ts'
import { common } from '../../texts/en/common.ts'
import { useDomainName } from '../domains/workspace.ts'
import { streamsQuery } from '../streams/calls.ts'
import { rowPreviewQuery, variablesQuery } from './calls.ts'
import { ColumnChoices } from './column-choices.tsx'
import {
  type Column,
  columnName,
  modelOf,
  type NamedColumn,
  namedColumns,
  unfilledVariables,
} from './columns.ts'
import { type Message, MessageFields, sendTimeOf } from './message-fields.tsx'
import { type Table, withColumns } from './read-table.ts'
import { RowPreview } from './row-preview.tsx'
import { SendStep } from './send-step.tsx'
import { Unfilled } from './unfilled.tsx'

/** A file with the uses of its columns; the idempotency key makes a repeated request create the same bulk. */
export interface List {
  readonly table: Table
  readonly columns: readonly Column[]
  readonly key: string
}

interface NewBulkProps {
  readonly domainId: string
  readonly list: List
  readonly onColumns: (columns: readonly Column[]) => void
}

export function NewBulk({ domainId, list: { table, columns, key }, onColumns }: NewBulkProps) {
  const domain = useDomainName()
  const streams = (useQuery(streamsQuery(domainId)).data?.data ?? []).filter(
    ({ archived, kind }) => !archived && kind !== 'inbound',
  )
  const [given, setGiven] = useState(NO_MESSAGE)
  const message = {
    ...given,
    stream: given.stream ?? streams.find(({ kind }) => kind === 'broadcast')?.alias,
  }
  const variables = useQuery(variablesQuery(domainId, message.template))
  const named = namedColumns(columns, variables.data ?? [])
  const unfilled = unfilledVariables(named, variables.data ?? [])
  const isRequiredUnfilled = unfilled.some(({ required }) => required)
  const names = JSON.stringify(unfilled.map(({ name }) => name))
  // The consent covers the variables that are unfilled now; the form asks again when other variables are unfilled.
  const [leftEmpty, setLeftEmpty] = useState('')
  const isAccepted = unfilled.length === 0 || (leftEmpty === names && !isRequiredUnfilled)
  const first = useQuery(rowPreviewQuery(domainId, message.template, modelOf(named, table.rows[0] ?? [])))
  const query = queryOf(table, message, domain)
  const isLoading = variables.data === undefined || domain === undefined
  return (
    <>
      <Card title={words.new.message}>
        <MessageFields
          domainId={domainId}
          domain={domain}
          streams={streams}
          message={message}
          onChange={setGiven}
        />
      </Card>
      <Card title={words.new.columns} intro={words.new.columnsHint}>
        <ColumnChoices
          columns={named}
          row={table.rows[0] ?? []}
          onChange={(index, changes) =>
            onColumns(columns.with(index, { ...columns[index], ...changes } as Column))
          }
        />
      </Card>
      <ErrorNotice error={variables.error} again={variables.refetch} />
      <Unfilled
        variables={unfilled}
        accepted={isAccepted}
        onAccept={(accepted) => setLeftEmpty(accepted ? names : '')}
      />
      {!isRequiredUnfilled && (
        <RowPreview
          domainId={domainId}
          table={table}
          columns={named}
          templateId={message.template}
          message={message.from.trim() === '' || domain === undefined ? undefined : testOf(query)}
        />
      )}
      <SendStep
        domainId={domainId}
        bulk={{ csv: () => csvOf(table, named), query, key }}
        stream={streams.find(({ alias }) => alias === message.stream)?.name ?? ''}
        subject={first.data?.subject ?? undefined}
        problem={
          problemOf(columns, message) ??
          (isLoading ? common.loading : isAccepted ? undefined : words.new.fillVariables)
        }
      />
    </>
  )
}

const NO_MESSAGE: Message = { from: '', fromName: '', template: null, tag: '', sendAt: '' }

const csvOf = (table: Table, columns: readonly NamedColumn[]): Blob =>
  withColumns(table, columns.map(columnName))

/** Returns the message as query parameters of the request that uploads the CSV. */
const queryOf = (table: Table, message: Message, domain: string | undefined) => ({
  name: table.file.name.slice(0, 200),
  column: 'email',
  from: `${message.from.trim()}@${domain}`,
  from_name: message.fromName.trim(),
  template_id: message.template,
  stream: message.stream,
  tag: message.tag.trim(),
  send_at: sendTimeOf(message),
})

/** Returns the fields that a test message takes from the message of the bulk. */
const testOf = ({ from, from_name, template_id, stream }: ReturnType<typeof queryOf>): object => ({
  ...{ from, template_id, stream },
  ...(from_name === '' ? {} : { from_name }),
})

/** Returns the reason why the bulk cannot be sent yet. */
function problemOf(columns: readonly Column[], message: Message): string | undefined {
  const { template, from, sendAt } = message
  if (template === null) return words.new.chooseTemplate
  if (from.trim() === '') return words.new.giveSender
  if (columns.filter(({ use }) => use === 'to').length !== 1) return words.new.chooseAddress
  return sendAt !== '' && Date.parse(sendAt) <= Date.now() ? words.new.chooseFuture : undefined
}
