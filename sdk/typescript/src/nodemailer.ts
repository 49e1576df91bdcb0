// A transport for Nodemailer that submits each mail to Postrider over HTTP, complete as Nodemailer has composed it.

import { PostriderError } from './error.ts'
import { VERSION } from './generated/nouns.ts'
import { Postrider, type PostriderOptions } from './postrider.ts'

/** The parts of a mail of Nodemailer that the transport reads. */
interface Mail {
  readonly data: { readonly idempotencyKey?: unknown }
  readonly message: {
    getEnvelope(): { readonly from: string | false; readonly to: readonly string[] }
    messageId(): string
    build(done: (error: Error | null, bytes: Uint8Array) => void): void
  }
}

/** Result of `transporter.sendMail`. */
export interface SentMessage {
  readonly envelope: { readonly from: string | false; readonly to: readonly string[] }
  /** Message-ID of the mail. */
  readonly messageId: string
  /** ID of the message at Postrider (`msg_…`). */
  readonly message_id: string
  readonly accepted: readonly string[]
  /** Always empty: a request is accepted or refused as a whole. */
  readonly rejected: readonly string[]
  readonly response: string
}

/**
 * Returns the transport: `nodemailer.createTransport(postriderTransport({ url, key }))`.
 *
 * The header fields of submitted mail (`X-Stream`, `X-Tag`, `X-Metadata-<key>`, `X-Template-Alias`, …) choose what the
 * fields of a request choose. A mail with an `idempotencyKey` is accepted once within a day.
 * @param options options of a client, or the client
 */
export function postriderTransport(options: PostriderOptions | Postrider) {
  const postrider = options instanceof Postrider ? options : new Postrider(options)
  return {
    name: 'Postrider',
    version: VERSION,
    send(mail: Mail, done: (error: Error | null, sent: SentMessage) => void): void {
      sent(postrider, mail).then(
        (result) => done(null, result),
        (error: Error) => done(error, undefined as never),
      )
    },
    /** Answers `transporter.verify()`: resolves if the service accepts the key for sending. */
    async verify(): Promise<true> {
      const { scopes, kind } = await postrider.key.get()
      if (scopes.includes('messages:send')) return true
      const message = `The key of the kind "${kind}" lacks the scope messages:send. Use a Sending key (send_…).`
      throw new PostriderError(message, { status: 403, code: 'scope_not_permitted' })
    },
  }
}

async function sent(postrider: Postrider, { data, message }: Mail): Promise<SentMessage> {
  const envelope = message.getEnvelope()
  const bytes = await new Promise<Uint8Array>((resolve, reject) => {
    message.build((error, built) => (error === null ? resolve(built) : reject(error)))
  })
  const { message_id } = await postrider.messages.sendRaw(bytes, {
    ...(envelope.from === false ? {} : { from: envelope.from }),
    to: [...envelope.to],
    ...(typeof data.idempotencyKey === 'string' ? { idempotencyKey: data.idempotencyKey } : {}),
  })
  const response = `202 Accepted as ${message_id}`
  const messageId = message.messageId()
  return { envelope, messageId, message_id, accepted: envelope.to, rejected: [], response }
}
