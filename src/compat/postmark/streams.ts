// Postmark's message streams.

import type { Static } from 'typebox'
import type { StreamView } from '../../api/contract/stream.ts'
import { DEFAULT_STREAM, type StreamKind } from '../../model/stream.ts'
import { OUTBOUND, streamId } from '../../webhooks/formats/postmark.ts'
import type { VendorCall } from '../declaration.ts'
import { pageOf, rowsOf, rowsWhere } from '../pages.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { MISSING, orMissing } from './objects.ts'
import { serverId } from './server.ts'
import { timeOf } from './times.ts'

const noun = 'Message streams'
const TYPES = { Transactional: 'transactional', Broadcasts: 'broadcast', Inbound: 'inbound' } as const
const LIST = new FieldNames('MessageStreamType', 'IncludeArchivedStreams')
const STREAM = new FieldNames(
  ...['ID', 'Name', 'MessageStreamType', 'Description', 'SubscriptionManagementConfiguration'],
)
const SUBSCRIPTIONS = new FieldNames('UnsubscribeHandlingType')
/** Maximum number of streams in a list, which is more than a domain may have. */
const ALL = { count: 1_000, offset: 0 }

type Stream = Static<typeof StreamView>

/** Returns the alias of the stream with an ID of Postmark. */
export const streamAlias = (id: string | undefined): string | undefined =>
  id?.toLowerCase() === OUTBOUND ? DEFAULT_STREAM : id

/** Returns the alias of the stream in the path. */
export const streamIn = (translation: Translation, name = 'id'): string =>
  streamAlias(translation.param(name)) ?? ''

export const streamCalls: readonly VendorCall[] = [
  {
    ...{ method: 'GET', path: '/message-streams', noun, scope: 'streams:read' },
    summary: 'List the message streams',
    state: 'served',
    handler: listStreams,
  },
  {
    ...{ method: 'GET', path: '/message-streams/:id', noun, scope: 'streams:read' },
    summary: 'Read a message stream',
    state: 'served',
    handler: async (translation) => viewOf(await present(translation), await serverId(translation)),
  },
  {
    ...{ method: 'POST', path: '/message-streams', noun, scope: 'streams:write' },
    summary: 'Create a message stream',
    state: 'differs',
    differences: 'A stream has no description.',
    handler: createStream,
  },
  {
    ...{ method: 'PATCH', path: '/message-streams/:id', noun, scope: 'streams:write' },
    summary: 'Change a message stream',
    state: 'differs',
    differences: 'A stream has no description.',
    handler: editStream,
  },
  {
    ...{ method: 'POST', path: '/message-streams/:id/archive', noun, scope: 'streams:write' },
    summary: 'Archive a message stream',
    state: 'differs',
    differences: 'An archived stream is never purged; `ExpectedPurgeDate` is null.',
    handler: async (translation) => {
      const { ID, ServerID } = await setArchived(translation, true)
      return { ID, ServerID, ExpectedPurgeDate: null }
    },
  },
  {
    ...{ method: 'POST', path: '/message-streams/:id/unarchive', noun, scope: 'streams:write' },
    summary: 'Use an archived message stream again',
    state: 'served',
    handler: (translation) => setArchived(translation, false),
  },
]

async function listStreams(translation: Translation): Promise<object> {
  const query = translation.query(LIST)
  const type = query.word('MessageStreamType', ['All', ...typeNames()]) ?? 'All'
  const isAlsoArchived = query.flag('IncludeArchivedStreams') ?? false
  const isWanted = ({ kind, archived }: Stream): boolean =>
    (isAlsoArchived || !archived) && (type === 'All' || TYPES[type] === kind)
  const rows = rowsWhere(rowsOf<Stream>(translation, 'streams.list'), isWanted)
  const [{ rows: streams }, server] = [await pageOf(rows, ALL), await serverId(translation)]
  return {
    MessageStreams: streams.map((stream) => viewOf(stream, server)),
    TotalCount: streams.length,
  }
}

const typeNames = () => Object.keys(TYPES) as (keyof typeof TYPES)[]

async function present(translation: Translation): Promise<Stream> {
  const alias = streamIn(translation)
  const shown = translation.v1<Stream>('streams.get', { params: { alias } })
  return (await orMissing(MISSING.stream, shown)).body
}

async function createStream(translation: Translation): Promise<object> {
  const fields = translation.body(STREAM)
  const type = fields.word('MessageStreamType', typeNames())
  if (type === undefined)
    translation.reading.wrong('MessageStreamType', 'required', 'Give the type of the stream.')
  if (fields.has('Description')) translation.reading.ignore('Description')
  const kind = type && TYPES[type]
  const body = {
    alias: fields.text('ID'),
    name: fields.text('Name'),
    kind,
    ...unsubscribingOf(translation, fields, kind),
  }
  const { body: stream } = await translation.v1<Stream>('streams.create', { body })
  return viewOf(stream, await serverId(translation))
}

async function editStream(translation: Translation): Promise<object> {
  const fields = translation.body(STREAM)
  const { kind } = await present(translation)
  if (fields.has('Description')) translation.reading.ignore('Description')
  for (const name of ['ID', 'MessageStreamType'] as const) {
    if (fields.has(name)) translation.reading.refuse(name, `The ${name} of a stream cannot change.`)
  }
  const name = fields.text('Name')
  const body = {
    ...(name === undefined ? {} : { name }),
    ...unsubscribingOf(translation, fields, kind),
  }
  const changing = translation.v1<Stream>('streams.update', {
    params: { alias: streamIn(translation) },
    body,
  })
  return viewOf((await orMissing(MISSING.stream, changing)).body, await serverId(translation))
}

/** Returns who writes the unsubscribe links of a broadcast stream. */
function unsubscribingOf(
  translation: Translation,
  fields: Fields,
  kind: StreamKind | undefined,
): { readonly unsubscribe?: 'service' | 'sender' } {
  const handling = fields
    .object('SubscriptionManagementConfiguration', SUBSCRIPTIONS)
    ?.word('UnsubscribeHandlingType', ['None', 'Postmark', 'Custom'])
  if (handling === undefined) return {}
  if (kind === 'broadcast') {
    if (handling !== 'None') return { unsubscribe: handling === 'Custom' ? 'sender' : 'service' }
  } else if (handling === 'None') return {}
  const path = 'SubscriptionManagementConfiguration.UnsubscribeHandlingType'
  translation.reading.refuse(path, `A stream of this type cannot have the handling ${handling}.`)
  return {}
}

async function setArchived(translation: Translation, archived: boolean) {
  const params = { alias: streamIn(translation) }
  const changing = translation.v1<Stream>('streams.update', { params, body: { archived } })
  return viewOf((await orMissing(MISSING.stream, changing)).body, await serverId(translation))
}

function viewOf(
  { alias, name, kind, unsubscribe, archived, created_at, updated_at }: Stream,
  server: number,
) {
  const handling = unsubscribe === 'sender' ? 'Custom' : 'Postmark'
  return {
    ID: streamId(alias),
    ServerID: server,
    Name: name,
    Description: '',
    MessageStreamType: typeNames().find((type) => TYPES[type] === kind),
    CreatedAt: timeOf(created_at),
    UpdatedAt: timeOf(updated_at),
    ArchivedAt: archived ? timeOf(updated_at) : null,
    ExpectedPurgeDate: null,
    SubscriptionManagementConfiguration: {
      UnsubscribeHandlingType: kind === 'broadcast' ? handling : 'None',
    },
  }
}
