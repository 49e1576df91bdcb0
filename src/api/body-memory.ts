// The memory that the body of one request holds, from its first byte until all work on it has ended.

import { HeldMemory } from '../lib/content-memory.ts'
import { freeBuffers } from '../threads/free-buffers.ts'

/** Memory of one body. */
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
