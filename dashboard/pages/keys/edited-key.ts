// Fields of the form that changes a key or an SMTP credential, and the request that they become.

import { changedFields } from '../../parts/changed-fields.ts'
import type { CredentialChanges, EditedCredential, Scope } from './calls.ts'
import { expiryIn } from './expiries.ts'
import { linesOf } from './filled-key.ts'

/** Choice of an expiry that stays as it is. */
export const KEPT_EXPIRY = 'kept'

/** Fields of the form as the user fills them in. */
export interface Edited {
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** Networks, one on a line. */
  readonly networks: string
  /** Number of days until the expiry, `never`, or `KEPT_EXPIRY`. */
  readonly days: string
}

/** Returns the fields of the form for a key or a credential. */
export const editedOf = ({ name, scopes = [], networks }: EditedCredential): Edited => ({
  name,
  scopes: new Set(scopes),
  networks: (networks ?? []).join('\n'),
  days: KEPT_EXPIRY,
})

/** Returns the changed fields; a key without networks may be used from any address. */
export function changesOf(edited: Edited, before: Edited): CredentialChanges {
  const fieldsOf = ({ name, scopes, networks }: Edited) => ({
    name: name.trim(),
    scopes: [...scopes],
    networks: linesOf(networks).length === 0 ? null : [...linesOf(networks)],
  })
  return {
    ...changedFields(fieldsOf(edited), fieldsOf(before)),
    ...(edited.days === KEPT_EXPIRY ? {} : { expires_at: expiryIn(edited.days).expires_at ?? null }),
  }
}
