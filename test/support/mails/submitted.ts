// A mail handed over at the submission door, as it leaves the service, without a node around it.

import { composeOpened, openStored } from '../../../src/delivery/composition.ts'
import { type Address, isAddress, parseAddress } from '../../../src/model/address.ts'
import { messageChunks } from '../../../src/model/composed-message.ts'
import { Refusal } from '../../../src/smtpd/replies.ts'
import { readSubmission } from '../../../src/smtpd/submitted-message.ts'

/** Domain of the credential, and the envelope's sender and recipient. */
export const OWN_DOMAIN = 'example.test'
export const OWN_ADDRESS = `app@${OWN_DOMAIN}`

const READER = parseAddress('reader@example.net') as Address
if (!isAddress(READER)) throw new Error('not an address')

/** The bytes that a host is given, and those that are stored; or the reply that refuses the mail. */
export type Submitted =
  | { readonly wire: Buffer; readonly stored: Buffer; readonly from: string; readonly refusal?: undefined }
  | { readonly refusal: string }

/** Hands a mail over and composes what is stored of it. Throws what the door should not. */
export function submitted(raw: Buffer, recipients: readonly Address[] = [READER]): Submitted {
  const at = Date.UTC(2026, 10, 29)
  try {
    const trace = { envelopeFrom: OWN_ADDRESS, hostName: 'mail.test', smtpUtf8: false, at }
    const message = readSubmission(raw, OWN_DOMAIN, recipients, trace)
    const stored = message.withFields(() => [])
    const identity = { id: message.id, domainName: OWN_DOMAIN, stream: 'transactional', createdAt: at }
    const composed = composeOpened(openStored({ format: 'mime', content: stored } as never), identity)
    return { wire: Buffer.concat(messageChunks(composed)), stored, from: message.from.email }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refusal: `${error.reply.code} ${error.reply.enhanced} ${error.reply.text}` }
  }
}
