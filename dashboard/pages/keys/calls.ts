// API calls about API keys and SMTP credentials.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { MyScopes } from '../../../src/api/contract/dashboard-me.ts'
import type { KeyMade, KeyPatch, KeyView, NewKeyBody } from '../../../src/api/contract/key.ts'
import type {
  NewSmtpCredentialBody,
  SmtpCredentialMade,
  SmtpCredentialView,
  SmtpListenerView,
} from '../../../src/api/contract/smtp-credential.ts'
import { get, type Page, patch, path, post, remove } from '../../client.ts'

export type { KeyMade, SmtpCredentialMade }

/** An API key or an SMTP credential; the ID of an SMTP credential is its user name. */
export type Credential = Pick<
  SmtpCredentialView,
  'name' | 'last4' | 'rate' | 'networks' | 'created_at' | 'last_used_at' | 'expires_at' | 'revoked_at'
> & {
  readonly id: string
  /** Scopes of an API key. */
  readonly scopes?: readonly Scope[]
}

/** Properties of a key or a credential that the user may change. */
export type EditedCredential = Pick<Credential, 'id' | 'name' | 'networks' | 'expires_at' | 'scopes'>

/** Changes of a key or a credential; omitted fields stay. */
export type CredentialChanges = Pick<KeyPatch, 'name' | 'scopes' | 'networks' | 'expires_at'>

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

export const MANAGEMENT_KEYS: Place = {
  url: '/api/keys',
  query: { kind: 'management', limit: 50 },
  fields: { kind: 'management' },
}

/** A management key; `id` is its `key_id`. */
export type ManagementKey = KeyView & { readonly id: string }

/** A scope of a key, such as `messages:read`. */
export type Scope = KeyView['scopes'][number]

export const managementKeysQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: [...credentialsQuery(MANAGEMENT_KEYS).queryKey, cursor],
    queryFn: async ({ signal }): Promise<Page<ManagementKey>> => {
      const { url, query } = MANAGEMENT_KEYS
      const page = await get<Page<KeyView>>(url, { ...query, cursor }, signal)
      return { ...page, data: page.data.map((one) => ({ ...one, id: one.key_id })) }
    },
    placeholderData: keepPreviousData,
    // The time of the last use changes without an action of the user.
    refetchInterval: 15_000,
  })

/** Scopes that the user may give to keys, and the ready-made sets of scopes. */
export type GivenScopes = MyScopes

export const scopesQuery = queryOptions({
  queryKey: ['scopes'],
  queryFn: ({ signal }) => get<MyScopes>('/api/me/scopes', undefined, signal),
  staleTime: 60_000,
})

/** Fields of the form for a new management key. */
export type NewManagementKey = Pick<
  NewKeyBody,
  'name' | 'scopes' | 'grants' | 'domains' | 'networks' | 'expires_at'
>

export const createManagementKey = (body: NewManagementKey): Promise<KeyMade> =>
  post(MANAGEMENT_KEYS.url, { ...MANAGEMENT_KEYS.fields, ...body })

/** Makes a new secret of a key; the secret so far stays valid for `overlap`, such as `24h`. */
export const rotateKey = (id: string, overlap: string): Promise<KeyMade> =>
  post(path`/api/keys/${id}/rotate`, { overlap })

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

export const changeCredential = (
  { url }: Place,
  id: string,
  changes: CredentialChanges,
): Promise<KeyView | SmtpCredentialView> => patch(url + path`/${id}`, changes)

export const revokeCredential = ({ url }: Place, id: string): Promise<void> => remove(url + path`/${id}`)
