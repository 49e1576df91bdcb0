// GET /v1/key: returns the credential of the request and its rights.

import { formatTime } from '../../lib/rfc3339.ts'
import { isOfVerification } from '../../model/key-kind.ts'
import { callerOf } from '../caller.ts'
import { CurrentKey } from '../contract/key.ts'
import { defineRoute } from '../route.ts'

export const showCurrentKey = defineRoute({
  method: 'GET',
  url: '/v1/key',
  schema: {
    tags: ['Keys'],
    summary: 'Show the key of the request',
    description:
      'Returns the rights of the credential. SMTP credentials call this endpoint with their user name and password (HTTP Basic).',
    response: { 200: CurrentKey },
  },
  refusals: [],
  scope: 'any-credential',
  async handler(request): Promise<CurrentKey> {
    const { key } = callerOf(request)
    if (key === undefined) throw new Error('a user has no key')
    const managed = key.every_domain === 1 ? null : [...key.managed.values()].map(({ name }) => name)
    return {
      credential: key.kind === 'smtp' ? 'smtp' : 'key',
      kind: key.kind,
      key_id: key.id,
      name: key.name,
      mode: key.mode,
      ...(key.inbox_id === null ? {} : { inbox_id: key.inbox_id }),
      scopes: [...key.scopes],
      grants: [...key.grants],
      domains: isOfVerification(key.kind) ? null : key.domain_name === null ? managed : [key.domain_name],
      networks: key.networks && [...key.networks],
      recipients: key.recipients && [...key.recipients],
      expires_at: formatTime(key.expires_at),
      account: { account_id: key.account_id, name: key.account_name },
      address: request.ip,
    }
  },
})
