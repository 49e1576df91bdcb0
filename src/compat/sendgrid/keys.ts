// API keys and scopes in the form of SendGrid.

import type { Static } from 'typebox'
import { type Scope, USUAL_SCOPES } from '../../access/scopes.ts'
import { callerOf } from '../../api/caller.ts'
import type { KeyList, KeyMade, KeyView } from '../../api/contract/key.ts'
import type { VendorCall } from '../declaration.ts'
import { onlyDomain } from '../only-domain.ts'
import { FieldNames, type Fields } from '../reading.ts'
import type { Translation } from '../translation.ts'

const noun = 'API keys'
const KEY = new FieldNames('name', 'scopes')

/** SendGrid's scopes, and ours that allow the same. */
const SCOPES: readonly (readonly [theirs: string, ours: Scope])[] = [
  ['mail.send', 'messages:send'],
  ['mail.batch.create', 'messages:send'],
  ['mail.batch.read', 'messages:send'],
  ['user.scheduled_sends.read', 'messages:read'],
  ['user.scheduled_sends.create', 'messages:write'],
  ['user.scheduled_sends.update', 'messages:write'],
  ['user.scheduled_sends.delete', 'messages:write'],
  ['messages.read', 'messages:read'],
  ['stats.read', 'stats:read'],
  ['categories.stats.read', 'stats:read'],
  ['templates.read', 'templates:read'],
  ['templates.create', 'templates:write'],
  ['templates.update', 'templates:write'],
  ['templates.delete', 'templates:write'],
  ['templates.versions.read', 'templates:read'],
  ['templates.versions.create', 'templates:write'],
  ['templates.versions.update', 'templates:write'],
  ['templates.versions.delete', 'templates:write'],
  ['templates.versions.activate.create', 'templates:write'],
  ['suppression.read', 'suppressions:read'],
  ['suppression.delete', 'suppressions:write'],
  ['suppression.bounces.read', 'suppressions:read'],
  ['suppression.bounces.delete', 'suppressions:write'],
  ['suppression.spam_reports.read', 'suppressions:read'],
  ['suppression.spam_reports.delete', 'suppressions:write'],
  ['suppression.unsubscribes.read', 'suppressions:read'],
  ['asm.suppressions.global.read', 'suppressions:read'],
  ['asm.suppressions.global.create', 'suppressions:write'],
  ['asm.suppressions.global.delete', 'suppressions:write'],
  ['asm.groups.read', 'streams:read'],
  ['asm.groups.create', 'streams:write'],
  ['asm.groups.update', 'streams:write'],
  ['asm.groups.delete', 'streams:write'],
  ['user.webhooks.event.settings.read', 'webhooks:read'],
  ['user.webhooks.event.settings.update', 'webhooks:write'],
  ['validations.email.create', 'verifications:check'],
  ['whitelabel.read', 'domains:read'],
  ['whitelabel.create', 'domains:write'],
  ['whitelabel.update', 'domains:write'],
  ['whitelabel.delete', 'domains:write'],
  ['api_keys.read', 'keys:read'],
  ['api_keys.create', 'keys:write'],
  ['api_keys.update', 'keys:write'],
  ['api_keys.delete', 'keys:write'],
]

const theirs = (scopes: Iterable<string>): string[] => {
  const own = new Set(scopes)
  return SCOPES.filter(([, ours]) => own.has(ours)).map(([name]) => name)
}

/** Returns our scopes of a list; unknown scopes, and those that no Sending key has, are ignored. */
function scopesIn({ reading }: Translation, fields: Fields): readonly Scope[] | undefined {
  if (!fields.has('scopes')) return undefined
  const usual = new Set<Scope>(USUAL_SCOPES.sending)
  const found = new Set<Scope>()
  for (const [index, name] of fields.list('scopes').map(String).entries()) {
    const ours = SCOPES.find(([one]) => one === name)?.[1]
    if (ours === undefined || !usual.has(ours)) reading.ignore(`scopes[${index}]`)
    else found.add(ours)
  }
  if (found.size === 0)
    reading.wrong('scopes', 'invalid_value', 'None of these scopes exists for a Sending key.')
  return [...found]
}

const keyView = ({ key_id, name, scopes }: KeyView) => ({
  api_key_id: key_id,
  name,
  scopes: theirs(scopes),
})

const keyParam = (translation: Translation) => ({ key_id: translation.param('api_key_id') })

async function change(translation: Translation): Promise<object> {
  const fields = translation.body(KEY)
  const name = fields.text('name')
  const scopes = scopesIn(translation, fields)
  const { body } = await translation.v1<KeyView>('keys.update', {
    params: keyParam(translation),
    body: { ...(name === undefined ? {} : { name }), ...(scopes === undefined ? {} : { scopes }) },
  })
  return keyView(body)
}

export const keyCalls: readonly VendorCall[] = [
  {
    method: 'GET',
    path: '/v3/scopes',
    noun,
    summary: 'Scopes of the calling key',
    scope: 'any-credential',
    state: 'differs',
    differences: 'Names those scopes of SendGrid that our scopes of the key allow.',
    handler: async (translation) => ({ scopes: theirs(callerOf(translation.request).scopes) }),
  },
  {
    method: 'POST',
    path: '/v3/api_keys',
    noun,
    summary: 'Create an API key',
    scope: 'keys:write',
    state: 'differs',
    differences: 'Creates a Sending key of the only domain of the calling key. Unknown scopes are ignored.',
    async handler(translation) {
      const fields = translation.body(KEY)
      const name = fields.text('name')
      if (name === undefined) translation.reading.wrong('name', 'required', 'Give the key a name.')
      const scopes = scopesIn(translation, fields)
      const domain = await onlyDomain(translation)
      const { body } = await translation.v1<Static<typeof KeyMade>>('keys.create', {
        body: {
          ...{ kind: 'sending', name },
          ...(domain === undefined ? {} : { domains: [domain] }),
          ...(scopes === undefined ? {} : { scopes }),
        },
      })
      translation.reply.code(201)
      return { api_key: body.key, ...keyView(body) }
    },
  },
  {
    method: 'GET',
    path: '/v3/api_keys',
    noun,
    summary: 'List API keys',
    scope: 'keys:read',
    state: 'served',
    async handler(translation) {
      const limit = translation.query(new FieldNames('limit')).integer('limit') ?? 200
      const query = { status: 'active', limit: Math.min(200, Math.max(1, limit)) }
      const { body } = await translation.v1<Static<typeof KeyList>>('keys.list', { query })
      return { result: body.data.map(({ key_id, name }) => ({ api_key_id: key_id, name })) }
    },
  },
  {
    method: 'GET',
    path: '/v3/api_keys/:api_key_id',
    noun,
    summary: 'Retrieve an API key',
    scope: 'keys:read',
    state: 'served',
    async handler(translation) {
      const { body } = await translation.v1<KeyView>('keys.get', { params: keyParam(translation) })
      return { result: [keyView(body)] }
    },
  },
  {
    method: 'PUT',
    path: '/v3/api_keys/:api_key_id',
    noun,
    summary: 'Change the name and the scopes of an API key',
    scope: 'keys:write',
    state: 'served',
    handler: change,
  },
  {
    method: 'PATCH',
    path: '/v3/api_keys/:api_key_id',
    noun,
    summary: 'Rename an API key',
    scope: 'keys:write',
    state: 'served',
    handler: change,
  },
  {
    method: 'DELETE',
    path: '/v3/api_keys/:api_key_id',
    noun,
    summary: 'Revoke an API key',
    scope: 'keys:write',
    state: 'served',
    async handler(translation) {
      await translation.v1('keys.delete', { params: keyParam(translation) })
      translation.reply.code(204)
      return ''
    },
  },
]
