// API calls about API keys and SMTP credentials.

import { queryOptions } from '@tanstack/react-query'
import type {
  KeyMade,
  KeyView,
  NewKeyBody,
  SmtpCredentialMade,
  SmtpCredentialView,
  SmtpListenerView,
} from '../../../src/api/contract/dashboard-keys.ts'
import { get, type Page, path, post, remove } from '../../client.ts'

export type { KeyMade, NewKeyBody, SmtpCredentialMade }

/** An API key or an SMTP credential; the ID of an SMTP credential is its user name. */
export type Credential = Omit<KeyView, 'key_id'> & { readonly id: string }

/** API path for the credentials of one kind. */
export type Place = string

interface Beside {
  /** The SMTP listener that accepts SMTP credentials. */
  readonly listener?: SmtpListenerView | undefined
}

export const keysOf = (domainId: string): Place => path`/api/domains/${domainId}/keys`
export const smtpCredentialsOf = (domainId: string): Place => path`/api/domains/${domainId}/smtp-credentials`
export const VERIFICATION_KEYS: Place = '/api/verification/keys'

export const credentialsQuery = (place: Place) =>
  queryOptions({
    queryKey: ['credentials', place],
    queryFn: async ({ signal }): Promise<Page<Credential> & Beside> => {
      const { data, listener } = await get<Page<KeyView | SmtpCredentialView> & Beside>(
        place,
        undefined,
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

export const createCredential = <Made>(place: Place, body: NewKeyBody): Promise<Made> => post(place, body)

export const revokeCredential = (place: Place, id: string): Promise<void> => remove(place + path`/${id}`)
