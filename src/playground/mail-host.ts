// The mail host of the playground: accepts mail for every domain by SMTP, into the mailbox and into inbound streams.

import type { InboundReception, InboundTarget } from '../inbound/reception.ts'
import { cacheOf } from '../lib/caches.ts'
import type { CertificateAndKey } from '../lib/certificate-files.ts'
import type { Clock } from '../lib/clock.ts'
import { CONTENT_BYTES, ContentMemory } from '../lib/content-memory.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import { summarize } from '../mime/mail-summary.ts'
import { isCatchAllProbe } from '../model/catch-all-probe.ts'
import type { Reply } from '../model/reply.ts'
import {
  PLAYGROUND_INBOX,
  type Steering,
  steeringOf,
  steeringOfProbe,
  steeringWord,
} from '../model/test-inbox.ts'
import { ConnectionSlots } from '../smtpd/connection-slots.ts'
import { readRcptTo, readReversePath } from '../smtpd/envelope-commands.ts'
import { refuseNotTaken } from '../smtpd/inbound-rules.ts'
import { DEFAULT_LIMITS, type SmtpLimits } from '../smtpd/limits.ts'
import { Listener } from '../smtpd/listener.ts'
import type { Client, ListenerRules, MailTransaction, Recipient, Sender } from '../smtpd/listener-rules.ts'
import { Refusal, replyWith } from '../smtpd/replies.ts'
import type { Store } from '../store/database/store.ts'
import { findInboxById } from '../store/inboxes/inboxes.ts'
import { keepTestMail } from '../store/inboxes/new-mails.ts'
import { PLAYGROUND_MAIL_HOST } from './resolver.ts'

export interface MailHostOptions {
  readonly store: Store
  /** Reception of mail for inbound streams; undefined if only verification probes connect. */
  readonly streams?: InboundReception
  readonly clock: Clock
  readonly log: Log
  /** Certificate and private key for STARTTLS, in PEM format. */
  readonly tls: CertificateAndKey
  readonly maxMessageBytes: number
}

/**
 * Limits of the SMTP listener; loose, because the only client is this installation, and many recipients are refused.
 */
const LIMITS: SmtpLimits = {
  ...DEFAULT_LIMITS,
  connectionsPerNetwork: DEFAULT_LIMITS.connections,
  reservedShare: 0,
  junkCommands: Number.POSITIVE_INFINITY,
  junkCommandsBeforeLogin: Number.POSITIVE_INFINITY,
  // A delayed reply to RCPT TO must not delay the stop of the mail host.
  stopMs: 0,
}

const KEPT = replyWith(250, '2.0.0', 'Ok: in the mailbox')

/** SMTP listener on a free port of 127.0.0.1, which other machines cannot reach. */
export class PlaygroundMailHost implements Part {
  readonly name = 'playground mail host'
  readonly #listener: Listener<string, InboundTarget | undefined>

  constructor(options: MailHostOptions) {
    const { clock, log, maxMessageBytes, tls } = options
    const steerer = new Steerer(clock)
    this.#listener = new Listener({
      implicitTls: false,
      tls: { current: () => tls },
      slots: new ConnectionSlots(LIMITS, clock),
      settings: {
        hostName: PLAYGROUND_MAIL_HOST,
        limits: LIMITS,
        memory: new ContentMemory(CONTENT_BYTES.submission(options)),
        ...{ maxMessageBytes, clock, log },
      },
      rulesFor: (client) => new MailboxRules(options, steerer, client),
    })
  }

  /** Port of the listener, known after the start. */
  get port(): number {
    return this.#listener.port
  }

  start(): Promise<void> {
    return this.#listener.open(0, { host: '127.0.0.1' })
  }

  stop(): Promise<void> {
    return this.#listener.drain()
  }
}

/** Accepts all mail, unless the local part of a recipient selects another reply. */
class MailboxRules implements ListenerRules<string, InboundTarget | undefined> {
  readonly loggedIn = false
  readonly owner = 'installation'
  readonly #options: MailHostOptions
  readonly #steerer: Steerer
  readonly #client: Client
  #from = ''
  #askedBefore: string | undefined

  constructor(options: MailHostOptions, steerer: Steerer, client: Client) {
    this.#options = options
    this.#steerer = steerer
    this.#client = client
  }

  sender(line: Buffer): Sender<string> {
    const { path: from, ...asked } = readReversePath(line, this.#options.maxMessageBytes)
    this.#from = from
    return { from, ...asked }
  }

  async recipient(
    line: Buffer,
    { smtpUtf8, size }: Sender<string>,
  ): Promise<Recipient<InboundTarget | undefined>> {
    const address = readRcptTo(line, smtpUtf8)
    const asked = { recipient: address.email, from: this.#from, before: this.#askedBefore }
    // Catch-all probe addresses are not recorded, because a client may probe for a catch-all twice.
    if (!isCatchAllProbe(address.local)) this.#askedBefore = address.email
    const { refusal, delayMs = 0 } = this.#steerer.answer(asked)
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs).unref())
    if (refusal !== undefined) throw new Refusal(refusal)
    const { streams } = this.#options
    const to = await streams?.target(address)
    if (to !== undefined) refuseNotTaken(await streams?.refusal(to, size))
    return { address, to }
  }

  async take(
    content: Buffer,
    { from, helo, recipients }: MailTransaction<string, InboundTarget | undefined>,
  ): Promise<Reply> {
    await this.#takeIntoStreams(content, from, helo, recipients)
    const { store, clock } = this.#options
    const now = clock.now()
    const inbox = await findInboxById(store.read, PLAYGROUND_INBOX)
    if (inbox === undefined) throw new Refusal(451, '4.3.0', 'The mailbox does not exist yet')
    const summarized = await summarize(content)
    await Promise.all(
      [...recipients.keys()].map((recipient) => {
        const id = newId('mbx', now)
        return store.write(keepTestMail, {
          ...{ id, messageId: id, inboxId: inbox.id, accountId: inbox.account_id, receivedAt: now },
          ...{ mailFrom: from, recipients: [recipient], tls: this.#client.tlsVersion(), tags: [] },
          ...summarized,
          raw: content,
        })
      }),
    )
    return KEPT
  }

  async #takeIntoStreams(
    content: Buffer,
    from: string,
    helo: string,
    recipients: ReadonlyMap<string, InboundTarget | undefined>,
  ): Promise<void> {
    const targets = new Map([...recipients].flatMap(([email, to]) => (to === undefined ? [] : [[email, to]])))
    if (targets.size === 0) return
    const client = { clientAddress: this.#client.address, helo, tls: this.#client.tlsVersion() }
    refuseNotTaken(await this.#options.streams?.receive({ ...client, from, targets, content }))
  }
}

/** Recipient that a client names in RCPT TO. */
interface Asked {
  readonly recipient: string
  /** Address in MAIL FROM; empty for a verification probe. */
  readonly from: string
  /** Previous recipient on the same connection. */
  readonly before: string | undefined
}

/** Time for which verification probes are greylisted; a message is greylisted only at its first attempt. */
const GREYLIST_MS = 10_000

/** Selects the replies to RCPT TO by local part, and remembers greylisted recipients. */
class Steerer {
  readonly #clock: Clock
  readonly #greylist = cacheOf<number>('playground_greylist')

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the reply to RCPT TO with this recipient. */
  answer({ recipient, from, before }: Asked): Steering {
    const word = steeringWord(recipient)
    // A verification probes for a catch-all immediately after the verified address.
    if (isCatchAllProbe(word)) return steeringOfProbe(steeringWord(before ?? ''))
    return steeringOf(word, () => this.#isPutOff(from, recipient))
  }

  #isPutOff(from: string, recipient: string): boolean {
    const triplet = `${from} ${recipient}`
    const now = this.#clock.now()
    const first = this.#greylist.get(triplet)
    if (first !== undefined) return from === '' && now - first < GREYLIST_MS
    this.#greylist.set(triplet, now)
    return true
  }
}
