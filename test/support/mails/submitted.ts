// Submits a message without a node, and returns the message that would leave the service.

import { composeOpened, openStored } from '../../../src/delivery/composition.ts'
import { mend } from '../../../src/mime/mend/mend.ts'
import { type Address, isAddress, parseAddress } from '../../../src/model/address.ts'
import { type ComposedMessage, messageChunks } from '../../../src/model/composed-message.ts'
import { HEADER_LIMITS } from '../../../src/smtpd/limits.ts'
import { Refusal } from '../../../src/smtpd/replies.ts'
import { readSubmission } from '../../../src/smtpd/submitted-message.ts'
import { usableAsMended, usableAsReceived } from '../../../src/smtpd/usable-message.ts'

/** Domain of the credential, and the sender and recipient of the envelope. */
export const OWN_DOMAIN = 'example.test'
export const OWN_ADDRESS = `app@${OWN_DOMAIN}`

const READER = parseAddress('reader@example.net') as Address
if (!isAddress(READER)) throw new Error('not an address')

/** An accepted message, or the reply that refuses it. */
export type Submitted =
  | {
      readonly composed: ComposedMessage
      /** Bytes that a mail host receives, without signatures. */
      readonly wire: Buffer
      readonly from: string
      readonly refusal?: undefined
    }
  | { readonly refusal: string }

/** Submits a message and composes the message from the stored content. Throws any error other than a refusal. */
export function submitted(raw: Buffer, recipients: readonly Address[] = [READER]): Submitted {
  const at = Date.UTC(2026, 10, 29)
  try {
    const sending = { from: OWN_ADDRESS, domain: OWN_DOMAIN }
    const usable =
      usableAsReceived(raw, OWN_DOMAIN) ?? usableAsMended(mend(raw, sending, HEADER_LIMITS), OWN_DOMAIN)
    const trace = { hostName: 'mail.test', protocol: 'ESMTPSA', at }
    const message = readSubmission(usable, OWN_DOMAIN, recipients, trace)
    const stored = message.withFields(() => [])
    const identity = { id: message.id, domainName: OWN_DOMAIN, stream: 'transactional', createdAt: at }
    const composed = composeOpened(openStored({ format: 'mime', content: stored } as never), identity)
    return { composed, wire: Buffer.concat(messageChunks(composed)), from: message.from.email }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refusal: `${error.reply.code} ${error.reply.enhanced} ${error.reply.text}` }
  }
}
