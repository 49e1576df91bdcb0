// Unsubscribe groups in the form of SendGrid: the broadcast streams of a domain.

import type { Static } from 'typebox'
import { callerOf } from '../../api/caller.ts'
import type { StreamList, StreamView } from '../../api/contract/stream.ts'
import { Problem } from '../../model/problem.ts'
import type { VendorCall } from '../declaration.ts'
import { findObject, numbersOf } from '../numbers.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'

type Stream = Static<typeof StreamView>

const noun = 'Unsubscribe groups'
const GROUP = new FieldNames('name', 'description', 'is_default')

/** Returns the broadcast streams, each with its number. */
async function groupsOf(translation: Translation): Promise<readonly (readonly [number, Stream])[]> {
  const { body } = await translation.v1<Static<typeof StreamList>>('streams.list', { query: { limit: 200 } })
  const streams = body.data.filter(({ kind, archived }) => kind === 'broadcast' && !archived)
  const { services, request } = translation
  const name = nameOf(translation)
  const numbers = await numbersOf(services, callerOf(request), 'group', streams.map(name))
  return streams.map((stream) => [numbers.get(name(stream)) as number, stream] as const)
}

/** Returns the text that a number stands for: the domain and the alias of a stream. */
const nameOf =
  ({ request }: Pick<Translation, 'request'>) =>
  ({ domain_id, alias }: Pick<Stream, 'domain_id' | 'alias'>): string =>
    `${domain_id ?? callerOf(request).sender?.domainId} ${alias}`

/** Returns the alias of the stream with a number; undefined if the domain of the key has no such group. */
export async function streamOfGroup(
  { services, request }: Translation,
  number: number,
): Promise<string | undefined> {
  const caller = callerOf(request)
  const [domainId, alias] = (await findObject(services, caller, 'group', number))?.split(' ') ?? []
  const own = caller.sender?.domainId
  return own === undefined || own === domainId ? alias : undefined
}

const groupView = ([id, stream]: readonly [number, Stream]) => ({
  id,
  name: stream.name,
  description: stream.alias,
  is_default: false,
  last_email_sent_at: null,
  unsubscribes: 0,
})

/** Returns the group in the path. Throws `not_found`. */
export async function groupInPath(translation: Translation): Promise<readonly [number, Stream]> {
  const id = Number(translation.param('group_id'))
  const found = (await groupsOf(translation)).find(([number]) => number === id)
  if (found === undefined) throw new Problem('not_found', 'There is no unsubscribe group with this ID.')
  return found
}

/** Returns an alias for a stream with this name. */
function aliasOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
  return (words === '' ? 'group' : words).slice(0, 40)
}

const nameIn = ({ reading }: Translation, fields: Fields): string | undefined => {
  for (const name of ['description', 'is_default']) if (fields.has(name)) reading.ignore(name)
  return fields.text('name')
}

export const groupCalls: readonly VendorCall[] = [
  {
    method: 'GET',
    path: '/v3/asm/groups',
    noun,
    summary: 'List unsubscribe groups',
    scope: 'streams:read',
    state: 'differs',
    differences: 'The groups are the broadcast streams of the domain; `unsubscribes` is not counted.',
    handler: async (translation) => (await groupsOf(translation)).map(groupView),
  },
  {
    method: 'POST',
    path: '/v3/asm/groups',
    noun,
    summary: 'Create an unsubscribe group',
    scope: 'streams:write',
    state: 'differs',
    differences: 'Creates a broadcast stream with this name; the description is ignored.',
    async handler(translation) {
      const name = nameIn(translation, translation.body(GROUP))
      if (name === undefined) translation.reading.wrong('name', 'required', 'Give the group a name.')
      const { body } = await translation.v1<Stream>('streams.create', {
        body: { alias: aliasOf(name ?? ''), name, kind: 'broadcast' },
      })
      translation.reply.code(201)
      const { services, request } = translation
      const id = nameOf(translation)(body)
      const numbers = await numbersOf(services, callerOf(request), 'group', [id])
      return groupView([numbers.get(id) as number, body])
    },
  },
  {
    method: 'GET',
    path: '/v3/asm/groups/:group_id',
    noun,
    summary: 'Retrieve an unsubscribe group',
    scope: 'streams:read',
    state: 'served',
    handler: async (translation) => groupView(await groupInPath(translation)),
  },
  {
    method: 'PATCH',
    path: '/v3/asm/groups/:group_id',
    noun,
    summary: 'Rename an unsubscribe group',
    scope: 'streams:write',
    state: 'served',
    async handler(translation) {
      const name = nameIn(translation, translation.body(GROUP))
      const [id, { alias }] = await groupInPath(translation)
      const { body } = await translation.v1<Stream>('streams.update', {
        params: { alias },
        body: name === undefined ? {} : { name },
      })
      translation.reply.code(201)
      return groupView([id, body])
    },
  },
  {
    method: 'DELETE',
    path: '/v3/asm/groups/:group_id',
    noun,
    summary: 'Delete an unsubscribe group',
    scope: 'streams:write',
    state: 'served',
    async handler(translation) {
      const [, { alias }] = await groupInPath(translation)
      await translation.v1('streams.delete', { params: { alias } })
      translation.reply.code(204)
      return ''
    },
  },
]
