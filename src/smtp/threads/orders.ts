// The messages between the event loop and a thread that holds connections to mail hosts. All orders can be cloned for
// another thread.

import type { Envelope } from '../../model/envelope.ts'
import type { JournalPlace } from '../../model/journal-place.ts'
import type { ConnectOptions, ConnectResult, OpenConnection, TransactionResult } from '../connection.ts'
import type { MessageData } from '../message-data.ts'

/**
 * A message in pieces. A piece in separate memory is transferred to the thread; a piece in shared memory is not
 * transferred.
 */
export interface SentMessage extends Omit<MessageData, 'chunks'> {
  readonly pieces: readonly Uint8Array[]
}

/**
 * Milliseconds since an arbitrary moment, the same in all threads of the process; the clock also advances while the
 * process is suspended.
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000

/** Orders to the thread. `id` identifies the answer, `connection` is the ID of the order that opened the connection. */
export type Order =
  | { readonly kind: 'connect'; readonly id: number; readonly options: Omit<ConnectOptions, 'signal'> }
  | {
      readonly kind: 'send'
      readonly id: number
      readonly connection: number
      readonly envelope: Envelope
      readonly message: SentMessage
      readonly place: JournalPlace | undefined
      /** Time until which the message may be sent, in milliseconds of `monotonicMs`. */
      readonly endsAt: number
    }
  | { readonly kind: 'probe'; readonly id: number; readonly connection: number; readonly envelope: Envelope }
  /** Sets the time until which a message may be sent. */
  | { readonly kind: 'time'; readonly id: number; readonly endsAt: number }
  /** Ends the dialog of an order that has not been answered. */
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'close'; readonly id: number; readonly connection: number }
  | { readonly kind: 'destroy'; readonly connection: number }

/** The changing state of an open connection. */
export interface ConnectionState extends Pick<OpenConnection, 'messagesSent' | 'lostAhead' | 'chunking'> {
  /**
   * Time since the last bytes from the host, in milliseconds; undefined unless a message may be sent ahead of a
   * reply.
   */
  readonly aheadSilentMs: number | undefined
  readonly isOver: boolean
}

/** Properties of an open connection. */
export type OpenedConnection = Pick<OpenConnection, 'address' | 'source' | 'hostName' | 'extensions' | 'tls'>

export type AnswerOf<Kind extends Answer['kind']> = Extract<Answer, { readonly kind: Kind }>

/** Answers to orders, and messages that the thread sends without an order. */
export type Answer =
  | {
      readonly kind: 'opened'
      readonly id: number
      readonly opened: OpenedConnection
      readonly state: ConnectionState
    }
  | {
      readonly kind: 'not-opened'
      readonly id: number
      readonly result: Exclude<ConnectResult, { readonly failure?: undefined }>
    }
  | {
      readonly kind: 'ended'
      readonly id: number
      readonly connection: number
      readonly result: TransactionResult
      readonly state: ConnectionState
    }
  | { readonly kind: 'closed'; readonly id: number; readonly connection: number }
  | { readonly kind: 'state'; readonly connection: number; readonly state: ConnectionState }
