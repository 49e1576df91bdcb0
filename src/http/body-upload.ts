// A body as it arrives: within its limit, within its share of the memory, and never without progress.

import type { IncomingMessage } from 'node:http'
import { ActiveSet } from '../lib/active-set.ts'
import { HeldMemory } from '../lib/content-memory.ts'
import { Problem } from '../model/problem.ts'
import { freeBuffers, freeBuffersLater } from '../threads/free-buffers.ts'
import { Pacer } from '../threads/pacer.ts'
import { BodyPieces } from './body-pieces.ts'

/** A larger body is read only while there is memory for all of it, and its work is done in a thread. */
export const LARGE_BODY = 256 * 1024
/**
 * A body that is too large is read on to so many times the limit: a client that is cut off while sending never sees the
 * 413.
 */
const PATIENCE = 4
/** Time for which a body may come without a single byte, in milliseconds. */
const MAX_STALL_MS = 5_000
const SWEEP_MS = 1_000

/** The memory that the body of one request holds, from its first byte until all work on the body has ended. */
export class BodyMemory extends HeldMemory {
  /** The endpoint works on the body: then only its end frees it, also when the client has gone. */
  busy = false
  /** The rest of the body is not read any more, so that the connection has to end. */
  givenUp = false
  /** The bytes of a large body, which have no other user: their memory is given back at the release. */
  octets: Uint8Array<ArrayBuffer> | undefined
  /** Called once, when it is released. */
  onRelease: (() => void) | undefined

  override release(): void {
    if (this.released) return
    super.release()
    if (this.octets !== undefined) freeBuffers(this.octets)
    this.octets = undefined
    this.onRelease?.()
  }
}

export interface UploadOptions {
  readonly limit: number
  /** Refusal of a body over the limit. */
  readonly tooLarge: () => Problem
}

type Done = (error: Error | null, body?: Buffer) => void

/** Ends uploads that make no progress. */
export class Uploads {
  readonly #open = new ActiveSet<Upload>()
  readonly #sweeping: NodeJS.Timeout

  constructor() {
    this.#sweeping = setInterval(() => {
      const since = performance.now() - MAX_STALL_MS
      for (const upload of this.#open.members) upload.requireProgress(since)
    }, SWEEP_MS).unref()
  }

  /** Collects a body; `done` gets it, or why there is none. */
  collect(payload: IncomingMessage, held: BodyMemory, options: UploadOptions, done: Done): void {
    const upload = new Upload(payload, held, options, (error, body) => {
      leave()
      done(error, body)
    })
    const leave = this.#open.add(upload)
    upload.begin()
  }

  stop(): void {
    clearInterval(this.#sweeping)
  }
}

/** The refusal of a request for which there is no memory. */
export const noMemory = (): Problem =>
  new Problem('unavailable', 'Too many large requests are under way; please try again.', { retryAfter: 1 })

/** Refusals wait for turns of the event loop. */
const refusing = new Pacer()

/** State of an upload: bytes are gathered, the memory for all is awaited or taken, or bytes are read and dropped. */
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
  /** Announced length; undefined where there is none. */
  readonly #declared: number | undefined
  #state: State = { kind: 'gathering', pieces: new BodyPieces() }
  #received = 0
  /** Bytes for which the memory that is held suffices. */
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

  /** @param since time after which the last bytes must have come */
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
   * The first part has come, so the rest is no mere announcement: memory for all of it is taken at once, since bodies
   * that each got a part of what they need would wait for each other. Nothing is read meanwhile.
   */
  async #waitForMemory(pieces: BodyPieces): Promise<void> {
    const declared = this.#declared
    this.#granted = declared ?? Math.min(this.#options.limit, 2 * this.#received)
    this.#state = { kind: 'waiting', pieces }
    this.#payload.pause()
    const taken = await this.#held.holdLater(this.#granted)
    // All that came together are refused at the same moment.
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

  /** The client has gone, which is no error. */
  readonly #onError = (): void => {
    this.#finish(
      new Problem('malformed_request', 'The client closed the connection before its request had arrived.'),
    )
  }

  #giveUp(problem: Problem): void {
    this.#held.givenUp = true
    this.#finish(problem)
  }

  /** Frees the bytes so far; more are read and dropped. */
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
      // The rest is read and dropped, so that the client gets to see the answer.
      this.#payload
        .on('error', () => {})
        .on('data', freeBuffersLater)
        .resume()
    }
    this.#state = { kind: 'ended' }
    this.#done(error, body)
  }
}
