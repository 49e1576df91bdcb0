// The built-in mail server: takes mail for every domain by SMTP, as a receiving server would, into the mailbox.

import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Part } from '../lib/lifecycle.ts'
import type { Log } from '../lib/log.ts'
import type { Store } from '../store/store.ts'
import { MailHostConnection } from './mail-host-connection.ts'
import { PLAYGROUND_MAIL_HOST } from './resolver.ts'
import { Steerer } from './steering.ts'

export interface MailHostOptions {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** PEM, for STARTTLS. */
  readonly tls: { readonly cert: string; readonly key: string }
  readonly maxMessageBytes: number
}

/** Listens on a free port of 127.0.0.1; nothing from elsewhere reaches it. */
export class PlaygroundMailHost implements Part {
  readonly name = 'playground mail host'
  readonly #options: MailHostOptions
  readonly #steerer: Steerer
  #server: SMTPServer | undefined
  #port = 0

  constructor(options: MailHostOptions) {
    this.#options = options
    this.#steerer = new Steerer(options.clock)
  }

  /** Known once it has started. */
  get port(): number {
    return this.#port
  }

  async start(): Promise<void> {
    const server = new MailServer({
      name: PLAYGROUND_MAIL_HOST,
      banner: 'Postrider playground',
      size: this.#options.maxMessageBytes,
      ...this.#options.tls,
      authOptional: true,
      disabledCommands: ['AUTH'],
      disableReverseLookup: true,
      onRcptTo: (address, session, callback) => this.#onRecipient(address.address, session, callback),
      onData: (stream, session, callback) => void this.#onData(stream, session, callback),
    })
    // A client that goes away in the middle is no event of ours.
    server.on('error', (error) => this.#options.log.debug({ err: error }, 'playground mail host'))
    this.#server = server
    const listening = server.listen(0, '127.0.0.1')
    await once(listening, 'listening')
    this.#port = (listening.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    await new Promise<void>((resolve) => server.close(resolve))
  }

  #onRecipient(
    recipient: string,
    session: SMTPServerSession & { askedBefore?: string },
    done: (error?: Error | null) => void,
  ): void {
    const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
    const asked = { recipient, from, before: session.askedBefore }
    session.askedBefore = recipient
    const { refusal, delayMs = 0 } = this.#steerer.answer(asked)
    const error = refusal && Object.assign(new Error(refusal.text), { responseCode: refusal.code })
    if (delayMs === 0) done(error)
    else setTimeout(() => done(error), delayMs).unref()
  }

  async #onData(
    stream: Readable,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      await this.#keep(Buffer.concat(chunks), session)
      done()
    } catch (error) {
      this.#options.log.error({ err: error }, 'the playground mailbox could not take a mail')
      done(Object.assign(new Error('4.3.0 The mailbox cannot take it now'), { responseCode: 451 }))
    }
  }

  async #keep(raw: Buffer, { envelope, secure, tlsOptions }: SMTPServerSession): Promise<void> {
    const now = this.#options.clock.now()
    // Its own memory: what crosses to the writer's thread takes its whole buffer along.
    const bytes = new Uint8Array(raw)
    await Promise.all(
      envelope.rcptTo.map(({ address }) =>
        this.#options.store.write('keepMail', {
          id: newId('mbx', now),
          received_at: now,
          mail_from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          rcpt_to: address,
          tls: secure ? ((tlsOptions as { version?: string } | undefined)?.version ?? 'TLS') : null,
          raw: bytes,
        }),
      ),
    )
  }
}

/** The library's server with connections of our own. */
class MailServer extends SMTPServer {
  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new MailHostConnection(this, socket, options)
    this.connections.add(connection)
    connection.on('error', (error) => this._onError(error))
    connection.init()
  }
}
