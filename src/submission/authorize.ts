// Authorizes a sender for a message: checks the sender's account, the sender's domain and the address in From.

import type { Address } from '../model/address.ts'
import type { PermittedRecipients } from '../model/permitted-recipients.ts'
import { Problem } from '../model/problem.ts'
import type { StoredCredential } from '../store/access/key-reads.ts'
import type { SendingStream } from '../streams/streams.ts'

/** Sending credential, which belongs to a domain. */
export interface Sender {
  readonly keyId: string
  readonly accountId: string
  readonly domainId: string
  readonly domainName: string
  readonly domainStatus: NonNullable<StoredCredential['domain_status']>
  readonly accountStatus: StoredCredential['account_status']
  /** True if the account has a sending allowance. */
  readonly counted: boolean
  /** Maximum total size in bytes of the stored messages of the account; null for an account without its own limit. */
  readonly storedBytesLimit: number | null
  /** Recipients to which the credential may send; null for any recipient. */
  readonly permittedRecipients: PermittedRecipients | null
  /** Account under which the messages are stored, if different from the account of the sender. */
  readonly keptAs?: string
  /** Test inbox to which all messages of this sender go; null for a live sender. */
  readonly inboxId: string | null
  /** Stream of all messages of this sender, if the stream does not belong to the domain. */
  readonly stream?: SendingStream
}

/** Source of a sender: a credential, or a user in a domain. */
export type SenderFields = Pick<
  StoredCredential,
  | 'id'
  | 'account_id'
  | 'account_status'
  | 'sending_allowance'
  | 'stored_bytes_limit'
  | 'domain_id'
  | 'domain_name'
  | 'domain_status'
> & {
  /** Test inbox of a test credential; null for a live sender. */
  readonly inbox_id: string | null
}

/**
 * Returns the sender; undefined for a credential without a domain.
 *
 * @param permittedRecipients recipients to which the credential may send; null for any recipient
 */
export function senderOf(
  credential: SenderFields,
  permittedRecipients: PermittedRecipients | null,
): Sender | undefined {
  const { domain_id: domainId, domain_name: domainName, domain_status: domainStatus } = credential
  if (domainId === null || domainName === null || domainStatus === null) return undefined
  return {
    keyId: credential.id,
    accountId: credential.account_id,
    domainId,
    domainName,
    domainStatus,
    accountStatus: credential.account_status,
    counted: credential.sending_allowance !== null,
    storedBytesLimit: credential.stored_bytes_limit,
    permittedRecipients,
    inboxId: credential.inbox_id,
  }
}

/**
 * Throws `Problem` if this sender may not send as `from`. A test sender uses any address, also from a domain that is not
 * verified, because its mail goes to a test inbox.
 */
export function authorize(sender: Sender, from: Address): void {
  if (sender.accountStatus !== 'active') {
    throw new Problem('account_suspended', 'This account is suspended and cannot send; ask the operator.')
  }
  if (sender.inboxId !== null) return
  if (from.domain !== sender.domainName) {
    throw new Problem(
      'domain_not_permitted',
      `This credential sends from ${sender.domainName} only, not from ${from.domain}.`,
      {
        errors: [
          { path: 'from', code: 'domain_not_permitted', message: `Use an address at ${sender.domainName}.` },
        ],
      },
    )
  }
  if (sender.domainStatus === 'verified') return
  throw new Problem(
    'domain_not_verified',
    sender.domainStatus === 'paused'
      ? `Sending from ${sender.domainName} is paused; resume the domain first.`
      : `${sender.domainName} is not verified yet; publish its DNS records and verify it first.`,
  )
}

/** Returns the domain that every sender of a message must have; null for a test sender, which uses any address. */
export const domainOfSenders = ({ inboxId, domainName }: Sender): string | null =>
  inboxId === null ? domainName : null

/** Throws `recipient_not_permitted` with all recipients to which this sender may not send. */
export function authorizeRecipients(
  { permittedRecipients: permitted }: Pick<Sender, 'permittedRecipients'>,
  recipients: readonly { readonly address: Address }[],
): void {
  if (permitted === null) return
  const refused = recipients.filter(({ address }) => !permitted.includes(address))
  if (refused.length === 0) return
  const names = refused.map(({ address }) => address.email).join(', ')
  throw new Problem('recipient_not_permitted', `This credential may not send to ${names}.`)
}
