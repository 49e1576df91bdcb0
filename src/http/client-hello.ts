// TLS-ALPN-01 at an HTTPS port (RFC 8737): handshakes that look for the answer to a challenge are told from all others.

import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, type TLSSocketOptions } from 'node:tls'
import type { CertificateAndKey } from '../lib/certificate-files.ts'

/** The protocol that such a handshake wants, and that no browser does. */
const ACME_PROTOCOL = 'acme-tls/1'
/** RFC 8446 §5.1: a record has a header of five bytes and at most 2^14 behind it. */
const RECORD_HEADER = 5
const MAX_RECORD = RECORD_HEADER + 2 ** 14

/**
 * Calls `take` when the first record has come, and leaves it to be read again: with true when the client offers the
 * protocol of challenges. A client whose connection does not begin with a handshake is cut off.
 */
export function readClientHello(socket: Socket, take: (isChallenge: boolean) => void): void {
  let octets: Buffer = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    octets = Buffer.concat([octets, chunk])
    // Content type 22 is a handshake.
    if (octets[0] !== 22) {
      socket.destroy()
      return
    }
    const length = octets.length < RECORD_HEADER ? RECORD_HEADER : RECORD_HEADER + octets.readUInt16BE(3)
    if (octets.length < Math.min(length, MAX_RECORD)) return
    socket.off('data', read)
    socket.pause()
    socket.unshift(octets)
    take(octets.includes(ACME_PROTOCOL))
  }
  socket.on('data', read)
  socket.resume()
}

/** The options of a handshake that answers a challenge, or fails where there is none for the name. */
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
