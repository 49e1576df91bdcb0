// TLS-ALPN-01 at an HTTPS port (RFC 8737): distinguishes handshakes that validate a challenge from all others.

import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, type TLSSocketOptions } from 'node:tls'
import type { CertificateAndKey } from '../lib/certificate-files.ts'

/** The protocol of such a handshake, which no browser offers. */
const ACME_PROTOCOL = 'acme-tls/1'
/** RFC 8446 §5.1: a record has a header of five bytes and a fragment of at most 2^14 bytes. */
const RECORD_HEADER = 5
const MAX_RECORD = RECORD_HEADER + 2 ** 14

/**
 * Calls `take` when the first record has arrived, with true if the client offers the protocol of challenges; the record
 * can be read again. A connection that begins with something else than a handshake is closed.
 */
export function readClientHello(socket: Socket, take: (isChallenge: boolean) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    // Content type 22 is a handshake.
    if (bytes[0] !== 22) {
      socket.destroy()
      return
    }
    const length = bytes.length < RECORD_HEADER ? RECORD_HEADER : RECORD_HEADER + bytes.readUInt16BE(3)
    if (bytes.length < Math.min(length, MAX_RECORD)) return
    socket.off('data', read)
    socket.pause()
    socket.unshift(bytes)
    take(bytes.includes(ACME_PROTOCOL))
  }
  socket.on('data', read)
  socket.resume()
}

/** Returns the options of a handshake that answers a challenge, or fails if there is none for the name. */
export function challengeOptions(
  certificateOf: (name: string) => Promise<CertificateAndKey | undefined>,
): TLSSocketOptions {
  return {
    ALPNProtocols: [ACME_PROTOCOL],
    SNICallback(name: string, done: (error: Error | null, context?: SecureContext) => void) {
      certificateOf(name).then(
        (pair) => {
          if (pair === undefined) done(new Error('no challenge is under way'))
          else done(null, createSecureContext({ cert: pair.cert, key: pair.key }))
        },
        (error: Error) => done(error),
      )
    },
  }
}
