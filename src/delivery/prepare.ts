// Prepares a stored message for sending: composes and signs the message, with the same bytes at every attempt.

import { createHmac } from 'node:crypto'
import { loadDkimKey } from '../dkim/keys.ts'
import { type Signer, sign } from '../dkim/sign.ts'
import { cacheOf } from '../lib/caches.ts'
import type { PublicUrl } from '../lib/public-url.ts'
import { downgraded, type LackedExtension } from '../mime/downgrade.ts'
import { type ComposedMessage, type HeaderField, messageChunks } from '../model/composed-message.ts'
import { returnPath } from '../model/return-path.ts'
import { trackingHost, trackingKey } from '../model/tracking-link.ts'
import { unsubscribeAddress, unsubscribeToken, unsubscribeUrl } from '../model/unsubscribe-link.ts'
import type { Store } from '../store/database/store.ts'
import { listSigningKeys } from '../store/domains/dkim-keys.ts'
import { hasComplaintAddress } from '../store/domains/domain-rows.ts'
import type { Content } from '../store/queue/queue.ts'
import type { ComposedLarge, ComposingThread } from './composing.ts'
import { composeOpened, hasOwnLinks, type Opened, openStored } from './composition.ts'
import type { ComposedFor, MessageIdentity, RecipientLink } from './recipient-link.ts'

/** The parts of a stored message that determine the bytes to send. */
export interface StoredMessage extends MessageIdentity, Content {
  readonly accountId: string
  readonly domainId: string
  /** Test inbox of the message; null for a live message. */
  readonly inboxId: string | null
  readonly recipientCount: number
  /** Tag by which statistics and receivers count the message. */
  readonly tag: string | null
}

/** A message that is ready to be sent to a host. */
export interface PreparedMessage {
  readonly chunks: readonly Buffer[]
  readonly size: number
  readonly needs8Bit: boolean
  readonly needsSmtpUtf8: boolean
  /** All header fields, with the signatures first. */
  readonly headers: readonly HeaderField[]
  /** Return path of the only recipient, if the header names it. */
  readonly returnPath?: string | undefined
  /**
   * Returns the same message, signed again, for a host that lacks this SMTP extension; undefined if the message has no
   * such form.
   */
  downgraded(lacking: LackedExtension): Promise<PreparedMessage | undefined>
}

/** Settings for the links in messages. */
export interface LinkOptions {
  /** Secret key of the tokens in links. */
  readonly secret: string
  /** Base URL of the unsubscribe page; the URL is known once the HTTP server listens. */
  readonly publicUrl: PublicUrl
  /** True if tracked links use the public URL instead of each domain's tracking host, as in the playground. */
  readonly tracksAtPublicUrl?: boolean
}

const KEYS_MS = 60_000
/** Memory of the parsed signing keys of a domain, in bytes. */
const KEYS_BYTES = 16_000

type Identity = Omit<StoredMessage, 'content' | 'format'>

/** Function that prepares an opened message for a recipient. */
type Prepare = (recipient: ComposedFor) => Promise<PreparedMessage>

/**
 * Composes and signs messages: large messages in a thread, small messages directly. Caches the parsed signing keys of a
 * domain for a minute.
 */
export class Preparation {
  readonly #store: Pick<Store, 'read' | 'secrets'>
  readonly #links: LinkOptions
  readonly #composing: ComposingThread
  readonly #installation: string
  readonly #domains = cacheOf<{ signing: Promise<Signing>; until: number }>('signing_keys')

  constructor(store: Pick<Store, 'read' | 'secrets'>, links: LinkOptions, composing: ComposingThread) {
    this.#store = store
    this.#links = links
    this.#composing = composing
    this.#installation = installationName(links.secret)
  }

  /**
   * Opens a stored message; the returned function prepares the message for a recipient. All recipients get the same
   * bytes, made only once, unless each recipient gets different links. The returned function throws `CannotCompose` for
   * invalid content, and other errors if the keys of the domain cannot be read or used. Takes over the content of a
   * large message.
   */
  open(stored: StoredMessage): Prepare {
    return this.#composing.isLarge(stored) ? this.#openLarge(stored) : this.#openSmall(stored)
  }

  #openSmall({ format, content, request, ...identity }: StoredMessage): Prepare {
    let stored: Content | undefined = { format, content, request }
    let opened: Opened | undefined
    let common: Promise<PreparedMessage> | undefined
    const prepared = (message: ComposedMessage, sole?: ComposedFor): Promise<PreparedMessage> =>
      this.#signed(message, identity, sole, async (lacking) => {
        const other = downgraded(message, [lacking])
        return other && prepared(other, sole)
      })
    return async (recipient) => {
      if (common !== undefined) return common
      opened ??= openStored(stored as Content)
      if (hasOwnLinks(opened)) {
        const link = await this.#linkOf(identity, recipient)
        return prepared(composeOpened(opened, identity, link), recipient)
      }
      common = prepared(composeOpened(opened, identity), soleOf(identity, recipient))
      // Dropping the stored form leaves only the bytes to send in memory while the message waits for its host.
      stored = undefined
      opened = undefined
      return common
    }
  }

  #openLarge({ content, request: _, ...stored }: StoredMessage): Prepare {
    const large = this.#composing.open({ ...stored, content })
    let common: Promise<PreparedMessage> | undefined
    const prepared = (
      message: ComposedLarge,
      link: RecipientLink,
      sole: ComposedFor | undefined,
      without: readonly LackedExtension[] = [],
    ): Promise<PreparedMessage> =>
      this.#signed(message, stored, sole, async (lacking) => {
        const all = [...without, lacking]
        const other = await large.downgraded(link, all)
        return other && prepared(other, link, sole, all)
      })
    return async (recipient) => {
      const link = await this.#linkOf(stored, recipient)
      const message = await large.composed(link)
      if (message.hasOwnLink) return prepared(message, link, recipient)
      common ??= prepared(message, link, soleOf(stored, recipient))
      return common
    }
  }

  async #linkOf(
    { domainId, domainName, stream, inboxId }: Identity,
    recipient: ComposedFor,
  ): Promise<RecipientLink> {
    const { secret, publicUrl, tracksAtPublicUrl } = this.#links
    // The link of a test message is no link of the live stream: following the link unsubscribes nobody.
    const subject = { domainId, stream: inboxId ?? stream, email: recipient.email }
    const token = unsubscribeToken(secret, subject)
    const installation = await publicUrl.known()
    const base = tracksAtPublicUrl ? installation : `https://${trackingHost(domainName)}`
    return {
      recipient,
      url: unsubscribeUrl(installation, token),
      address: unsubscribeAddress(token, domainName),
      tracking: { base, key: trackingKey(secret, new URL(base).hostname) },
    }
  }

  async #signed(
    message: ComposedMessage & { readonly bodyHash?: string },
    stored: Identity,
    sole: ComposedFor | undefined,
    downgraded: PreparedMessage['downgraded'],
  ): Promise<PreparedMessage> {
    const { signers, hasCfbl } = await this.#signingOf(stored)
    const complaints = hasCfbl ? this.#complaintAddress(message.headers, stored, sole) : undefined
    const headers = this.#withComplaintFields(message.headers, stored, complaints)
    const copy = { ...message, headers }
    // The signature time is the time of the message, not of the attempt, so that a retry sends the same bytes.
    const signatures = await sign(copy, signers, stored.createdAt)
    const chunks = messageChunks(copy, signatures)
    return {
      chunks,
      size: chunks.reduce((sum, chunk) => sum + chunk.length, 0),
      needs8Bit: message.needs8Bit,
      needsSmtpUtf8: message.needsSmtpUtf8,
      headers: [...signatures, ...headers],
      returnPath: complaints,
      downgraded,
    }
  }

  /**
   * Returns the address for complaints about the copy of one recipient (RFC 9477): the return path of the recipient, by
   * which a complaint that has only the header finds the recipient. Undefined for other copies, and if the sender gave an
   * address.
   */
  #complaintAddress(
    headers: readonly HeaderField[],
    { id, domainName }: Identity,
    sole: ComposedFor | undefined,
  ): string | undefined {
    if (sole?.position === undefined || hasField(headers, 'cfbl-address')) return undefined
    return returnPath(this.#links.secret, id, sole.position, domainName)
  }

  /**
   * Adds the fields by which receivers report complaints, unless the sender gave them: Feedback-ID, by which Gmail counts
   * complaints, and the address for complaints if there is one.
   */
  #withComplaintFields(
    headers: readonly HeaderField[],
    { domainName, stream, tag }: Identity,
    address: string | undefined,
  ): readonly HeaderField[] {
    const fields = [...headers]
    if (!hasField(headers, 'feedback-id')) {
      // The parts are ordered from the narrowest part to the sender.
      const value = `${feedbackPart(tag)}:${stream}:${domainName}:${this.#installation}`
      fields.push({ name: 'Feedback-ID', raw: `Feedback-ID: ${value}\r\n` })
    }
    if (address !== undefined) {
      fields.push({ name: 'CFBL-Address', raw: `CFBL-Address: ${address}; report=arf\r\n` })
    }
    return fields
  }

  #signingOf({ domainId, domainName }: Identity): Promise<Signing> {
    const now = performance.now()
    const known = this.#domains.get(domainId)
    if (known !== undefined && known.until > now) return known.signing
    const signing = this.#loadSigning(domainId, domainName)
    this.#domains.set(domainId, { signing, until: now + KEYS_MS }, KEYS_BYTES)
    signing.catch(() => this.#domains.delete(domainId))
    return signing
  }

  async #loadSigning(domainId: string, domain: string): Promise<Signing> {
    const { read, secrets } = this.#store
    const [keys, hasCfbl] = await Promise.all([
      listSigningKeys(read, domainId),
      hasComplaintAddress(read, domainId),
    ])
    const signers = keys.map(({ id, selector, algorithm, private_key }) => ({
      domain,
      selector,
      algorithm,
      key: loadDkimKey(algorithm, secrets.open(private_key, id)),
    }))
    return { signers, hasCfbl: hasCfbl && signers.length > 0 }
  }
}

/** The signers of a domain, and whether copies for one recipient carry an address for complaints. */
interface Signing {
  readonly signers: readonly Signer[]
  readonly hasCfbl: boolean
}

/** Returns the recipient of a message with a single recipient. */
const soleOf = (
  { recipientCount }: Identity,
  { email, position = 0 }: ComposedFor,
): ComposedFor | undefined => (recipientCount === 1 ? { email, position } : undefined)

/** True if a header has a field of this name in lower case. */
const hasField = (headers: readonly HeaderField[], key: string): boolean =>
  headers.some(({ name }) => name.length === key.length && name.toLowerCase() === key)

const MAX_FEEDBACK_PART = 64

/** Returns a tag as a part of Feedback-ID; empty for a tag that may contain an address. */
const feedbackPart = (tag: string | null): string =>
  tag === null || tag.includes('@') ? '' : tag.replace(/[^\w.-]+/g, '-').slice(0, MAX_FEEDBACK_PART)

/**
 * Returns the sender name of this installation: 5 to 15 characters, as Gmail requires, without private information.
 */
const installationName = (secret: string): string =>
  `pr${createHmac('sha256', secret).update('feedback-id').digest('hex').slice(0, 10)}`
