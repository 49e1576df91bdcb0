// API keys in the form of Resend: a key with `sending_access` is a Sending key.

import type { Static } from 'typebox'
import type { KeyList, KeyMade, KeyView } from '../../api/contract/key.ts'
import { idOfUuid, uuidOfId } from '../../lib/ids.ts'
import type { VendorCall } from '../declaration.ts'
import { onlyDomain } from '../only-domain.ts'
import { FieldNames } from '../reading.ts'
import type { Translation } from '../translation.ts'
import { pageOf } from './pages.ts'

const KEY = new FieldNames('name', 'permission', 'domain_id')

const noun = 'API keys'

const keyEntry = (key: KeyView): object => ({
  id: uuidOfId(key.key_id),
  name: key.name,
  created_at: key.created_at,
  last_used_at: key.last_used_at,
})

/** Returns the ID of the key in the path. */
function keyParam(translation: Translation): { readonly key_id: string } {
  const id = translation.param('id')
  return { key_id: idOfUuid('key', id) ?? id }
}

/** Returns the domain of a new key: the named domain, or the only domain of the calling key. */
async function domainsOf(translation: Translation, named: string | undefined): Promise<object> {
  const domain = named === undefined ? await onlyDomain(translation) : (idOfUuid('dom', named) ?? named)
  return domain === undefined ? {} : { domains: [domain] }
}

export const apiKeyCalls: readonly VendorCall[] = [
  {
    method: 'POST',
    path: '/api-keys',
    noun,
    summary: 'Create an API key',
    scope: 'keys:write',
    state: 'differs',
    differences:
      'Creates a Sending key of one domain, so `domain_id` is required if the calling key works on several. `full_access` is refused, because only a user creates a management key.',
    async handler(translation) {
      const fields = translation.body(KEY)
      const { reading } = translation
      if (fields.word('permission', ['full_access', 'sending_access']) === 'full_access') {
        reading.wrong(
          'permission',
          'not_supported',
          'Only a user creates a key with full access, in the dashboard; use sending_access here.',
        )
      }
      const name = fields.text('name')
      if (name === undefined) reading.wrong('name', 'required', 'Give the key a name.')
      const domains = await domainsOf(translation, fields.text('domain_id'))
      const { body } = await translation.v1<Static<typeof KeyMade>>('keys.create', {
        body: { kind: 'sending', name, ...domains },
      })
      translation.reply.code(201)
      return { id: uuidOfId(body.key_id), token: body.key }
    },
  },
  {
    method: 'GET',
    path: '/api-keys',
    noun,
    summary: 'List API keys',
    scope: 'keys:read',
    state: 'served',
    handler: (translation) =>
      pageOf<Static<typeof KeyList>['data'][number]>(translation, {
        operation: 'keys.list',
        filter: { status: 'active' },
        prefix: 'key',
        idOf: ({ key_id }) => key_id,
        view: keyEntry,
      }),
  },
  {
    method: 'PATCH',
    path: '/api-keys/:id',
    noun,
    summary: 'Rename an API key',
    scope: 'keys:write',
    state: 'served',
    async handler(translation) {
      const name = translation.body(new FieldNames('name')).text('name')
      const params = keyParam(translation)
      const { body } = await translation.v1<KeyView>('keys.update', { params, body: { name } })
      return { object: 'api_key', id: uuidOfId(body.key_id) }
    },
  },
  {
    method: 'DELETE',
    path: '/api-keys/:id',
    noun,
    summary: 'Revoke an API key',
    scope: 'keys:write',
    state: 'served',
    async handler(translation) {
      const params = keyParam(translation)
      await translation.v1('keys.delete', { params })
      return { object: 'api_key', id: translation.param('id'), deleted: true }
    },
  },
]
