// What the dashboard asks and tells the service about the Sending keys and SMTP credentials of a domain.

import { queryOptions } from '@tanstack/react-query'
import type {
  KeyMade,
  KeyView,
  NewKeyBody,
  SmtpCredentialMade,
  SmtpCredentialView,
} from '../../../src/api/contract/dashboard-keys.ts'
import { get, type Page, path, post, remove } from '../../client.ts'

export type { KeyMade, NewKeyBody, SmtpCredentialMade }

/** A key of either kind, by what it is called where it is used. */
export type Credential = Omit<KeyView, 'key_id'> & { readonly id: string }

export type Kind = 'keys' | 'smtp-credentials'

export const credentialsQuery = (kind: Kind, domainId: string) =>
  queryOptions({
    queryKey: ['domains', domainId, kind],
    queryFn: async ({ signal }): Promise<Page<Credential>> => {
      const { data } = await get<Page<KeyView | SmtpCredentialView>>(
        path`/api/domains/${domainId}/${kind}`,
        undefined,
        signal,
      )
      return {
        data: data.map((one) => ({ ...one, id: 'key_id' in one ? one.key_id : one.username })),
        next_cursor: null,
      }
    },
    // When it was last used changes by itself.
    refetchInterval: 15_000,
  })

export const createCredential = <Made>(kind: Kind, domainId: string, body: NewKeyBody): Promise<Made> =>
  post(path`/api/domains/${domainId}/${kind}`, body)

export const revokeCredential = (kind: Kind, domainId: string, id: string): Promise<void> =>
  remove(path`/api/domains/${domainId}/${kind}/${id}`)
