// Receives the upload of a body, limited by the maximum size of its route, by a share of the memory, and by a timeout
// without progress.

import type { IncomingMessage } from 'node:http'
import { ActiveSet } from '../lib/active-set.ts'
import { HeldMemory } from '../lib/content-memory.ts'
import { Problem } from '../model/problem.ts'
import { freeBuffers, freeBuffersLater } from '../threads/free-buffers.ts'
import { Pacer } from '../threads/pacer.ts'
import { BodyPieces } from './body-pieces.ts'

/**
 * Minimum size of a large body in bytes. A large body is received only if there is memory for the whole body, and is
 * parsed in a thread.
 */
export const LARGE_BODY = 256 * 1024
/**
 * Factor by which a body may exceed its maximum size and is still read to its end before the refusal. A client never
 * sees the 413 response if the server closes the connection while the client is sending.
 */
const PATIENCE = 4
/** Maximum time between two pieces of a body, in milliseconds. */
const MAX_STALL_MS = 5_000
const SWEEP_MS = 1_000

/** Memory that the body of one request holds, from the first byte to the end of all work on the body. */
export class BodyMemory extends HeldMemory {
  /**
   * True while the endpoint works on the body; the memory is then released only at the end of this work, even if the
   * client has disconnected.
   */
  busy = false
  /** True if the rest of the body will not be read, so that the connection has to end. */
  givenUp = false
  /** Bytes of a large body. No other code uses these bytes, so releasing the body frees their memory. */
  bytes: Uint8Array<ArrayBuffer> | undefined
  /** Function called once, when the memory is released. */
  onRelease: (() => void) | undefined

  override release(): void {
    if (this.released) return
    super.release()
    if (this.bytes !== undefined) freeBuffers(this.bytes)
    this.bytes = undefined
    this.onRelease?.()
  }
}

export interface UploadOptions {
  readonly limit: number
  /** Returns the problem for a body that is too large. */
  readonly tooLarge: () => Problem
}

type Done = (error: Error | null, body?: Buffer) => void

/** Receives uploads, and ends uploads without progress. */
export class Uploads {
  readonly #open = new ActiveSet<Upload>()
  readonly #sweeping: NodeJS.Timeout

  constructor() {
    this.#sweeping = setInterval(() => {
      const since = performance.now() - MAX_STALL_MS
      for (const upload of this.#open.members) upload.requireProgress(since)
    }, SWEEP_MS).unref()
  }

  /** Receives a body; `done` is called with the body or with an error. */
  collect(payload: IncomingMessage, held: BodyMemory, options: UploadOptions, done: Done): void {
    const upload = new Upload(payload, held, options, (error, body) => {
      remove()
      done(error, body)
    })
    const remove = this.#open.add(upload)
    upload.begin()
  }

  stop(): void {
    clearInterval(this.#sweeping)
  }
}

/** Returns the problem for a request that gets no memory. */
export const noMemory = (): Problem =>
  new Problem('unavailable', 'Too many large requests are in progress; please try again.', { retryAfter: 1 })

/** Pacer that spreads the refusals of uploads over turns of the event loop. */
const refusing = new Pacer()

/**
 * State of an upload: bytes are collected, memory for the whole body is awaited or held, or bytes are read and dropped.
 */
type State =
  | { readonly kind: 'gathering' | 'waiting'; readonly pieces: BodyPieces }
  | { readonly kind: 'filling'; readonly whole: Buffer }
  | { readonly kind: 'dropping' }
  | { readonly kind: 'ended' }

class Upload {
  readonly #payload: IncomingMessage
  readonly #held: BodyMemory
  readonly #options: UploadOptions
  readonly #done: Done
  /** Announced length of the body in bytes; undefined if no length is announced. */
  readonly #declared: number | undefined
  #state: State = { kind: 'gathering', pieces: new BodyPieces() }
  #received = 0
  /** Number of bytes that the requested memory covers. */
  #granted = LARGE_BODY
  #lastAt = performance.now()

  constructor(payload: IncomingMessage, held: BodyMemory, options: UploadOptions, done: Done) {
    this.#payload = payload
    this.#held = held
    this.#options = options
    this.#done = done
    const length = payload.headers['content-length']
    this.#declared = length === undefined ? undefined : Number(length)
  }

  begin(): void {
    this.#payload.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError)
    if ((this.#declared ?? 0) > this.#options.limit * PATIENCE) this.#giveUp(this.#options.tooLarge())
  }

  /** Ends the upload if no bytes have arrived after `since`, a time of `performance.now()`. */
  requireProgress(since: number): void {
    if (this.#state.kind === 'waiting' || this.#lastAt > since) return
    this.#giveUp(new Problem('malformed_request', 'The request did not arrive in time.'))
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lastAt = performance.now()
    const before = this.#received
    this.#received += chunk.length
    const { limit, tooLarge } = this.#options
    if (Math.max(this.#received, this.#declared ?? 0) > limit) this.#drop()
    switch (this.#state.kind) {
      case 'dropping':
        freeBuffersLater(chunk)
        if (this.#received > limit * PATIENCE) this.#giveUp(tooLarge())
        return
      case 'filling':
        chunk.copy(this.#state.whole, before)
        freeBuffersLater(chunk)
        return
      case 'gathering':
      case 'waiting':
        this.#gather(chunk, this.#state)
    }
  }

  #gather(chunk: Buffer, { kind, pieces }: State & { readonly pieces: BodyPieces }): void {
    const mayGoOn = this.#received <= this.#granted && this.#held.hold(this.#received)
    if (!mayGoOn && this.#isSmall()) {
      this.#finish(noMemory())
      return
    }
    pieces.add(chunk)
    if (!mayGoOn && kind === 'gathering') void this.#waitForMemory(pieces)
  }

  #isSmall(): boolean {
    return (this.#declared ?? this.#received) <= LARGE_BODY
  }

  /**
   * Waits for memory for the whole body; nothing is read meanwhile. The memory is requested only after the first bytes
   * have arrived, so that a client cannot reserve memory merely by announcing a length. All memory is requested at
   * once, because bodies that each hold a part of their memory could wait for each other forever.
   */
  async #waitForMemory(pieces: BodyPieces): Promise<void> {
    const declared = this.#declared
    this.#granted = declared ?? Math.min(this.#options.limit, 2 * this.#received)
    this.#state = { kind: 'waiting', pieces }
    this.#payload.pause()
    const taken = await this.#held.holdLater(this.#granted)
    // The refusals are spread over turns of the event loop, because uploads that began together are refused at the same
    // moment.
    if (!taken) await refusing.turn()
    if (this.#state.kind !== 'waiting') return
    this.#lastAt = performance.now()
    if (!taken) {
      this.#finish(noMemory())
      return
    }
    if (declared === undefined) this.#state = { kind: 'gathering', pieces }
    else {
      const whole = Buffer.allocUnsafeSlow(declared)
      pieces.moveTo(whole)
      this.#state = { kind: 'filling', whole }
    }
    this.#payload.resume()
  }

  readonly #onEnd = (): void => {
    const state = this.#state
    if (state.kind === 'filling') this.#finish(null, state.whole)
    else if ('pieces' in state) this.#finish(null, state.pieces.take())
    else this.#finish(this.#options.tooLarge())
  }

  /** Handles the disconnection of the client, which is no server error. */
  readonly #onError = (): void => {
    this.#finish(
      new Problem('malformed_request', 'The client closed the connection before its request had arrived.'),
    )
  }

  #giveUp(problem: Problem): void {
    this.#held.givenUp = true
    this.#finish(problem)
  }

  /** Frees the bytes received so far; further bytes are read and dropped. */
  #drop(): void {
    if (this.#state.kind === 'filling') freeBuffers(this.#state.whole)
    else if ('pieces' in this.#state) this.#state.pieces.drop()
    this.#state = { kind: 'dropping' }
    this.#held.release()
  }

  #finish(error: Error | null, body?: Buffer): void {
    if (this.#state.kind === 'ended') return
    this.#payload.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError)
    if (error !== null) {
      this.#drop()
      // The rest of the body is read and dropped, so that the client can read the response.
      this.#payload
        .on('error', () => {})
        .on('data', freeBuffersLater)
        .resume()
    }
    this.#state = { kind: 'ended' }
    this.#done(error, body)
  }
}
