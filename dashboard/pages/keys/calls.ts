// API calls about API keys and SMTP credentials.

import { queryOptions } from '@tanstack/react-query'
import type { KeyMade, KeyView, NewKeyBody } from '../../../src/api/contract/key.ts'
import type {
  NewSmtpCredentialBody,
  SmtpCredentialMade,
  SmtpCredentialView,
  SmtpListenerView,
} from '../../../src/api/contract/smtp-credential.ts'
import { get, type Page, path, post, remove } from '../../client.ts'

export type { KeyMade, SmtpCredentialMade }

/** An API key or an SMTP credential; the ID of an SMTP credential is its user name. */
export type Credential = Pick<
  SmtpCredentialView,
  'name' | 'last4' | 'rate' | 'created_at' | 'last_used_at' | 'expires_at' | 'revoked_at'
> & { readonly id: string }

/** Place of the credentials of one kind in the API. */
export interface Place {
  readonly url: string
  /** Query of the list. */
  readonly query?: Readonly<Record<string, string | number>>
  /** Fields of a new credential in addition to those of the form. */
  readonly fields?: Pick<NewKeyBody, 'kind' | 'domains'> | Pick<NewSmtpCredentialBody, 'domain'>
}

/** Fields of the form for a new credential. */
export type NewCredentialFields = Pick<NewSmtpCredentialBody, 'name' | 'expires_at' | 'rate'>

interface Beside {
  /** The SMTP listener that accepts SMTP credentials. */
  readonly listener?: SmtpListenerView | undefined
}

/** Maximum number of keys or credentials on a page of the API. */
const LIMIT = 200

export const keysOf = (domainId: string): Place => ({
  url: '/api/keys',
  query: { kind: 'sending', domain: domainId, limit: LIMIT },
  fields: { kind: 'sending', domains: [domainId] },
})
export const smtpCredentialsOf = (domainId: string): Place => ({
  url: '/api/smtp-credentials',
  query: { domain: domainId, limit: LIMIT },
  fields: { domain: domainId },
})
export const VERIFICATION_KEYS: Place = {
  url: '/api/keys',
  query: { kind: 'verification', limit: LIMIT },
  fields: { kind: 'verification' },
}

export const credentialsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['credentials', place],
    queryFn: async ({ signal }): Promise<Page<Credential> & Beside> => {
      const { data, listener } = await get<Page<KeyView | SmtpCredentialView> & Beside>(
        place.url,
        place.query,
        signal,
      )
      return {
        listener,
        data: data.map((one) => ({ ...one, id: 'key_id' in one ? one.key_id : one.username })),
        next_cursor: null,
      }
    },
    // The time of the last use changes without an action of the user.
    refetchInterval: 15_000,
  })

export const createCredential = <Made>({ url, fields }: Place, body: NewCredentialFields): Promise<Made> =>
  post(url, { ...fields, ...body })

export const revokeCredential = ({ url }: Place, id: string): Promise<void> => remove(url + path`/${id}`)
