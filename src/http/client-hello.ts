// Distinguishes TLS handshakes that validate a TLS-ALPN-01 challenge (RFC 8737) from other handshakes at an HTTPS port.

import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, type TLSSocketOptions } from 'node:tls'
import type { CertificateAndKey } from '../lib/certificate-files.ts'

/** ALPN protocol of a handshake that validates a challenge, which no browser offers. */
const ACME_PROTOCOL = 'acme-tls/1'
/** Length of the header of a TLS record; the fragment after the header has at most 2^14 bytes (RFC 8446 §5.1). */
const RECORD_HEADER = 5
const MAX_RECORD = RECORD_HEADER + 2 ** 14

/**
 * Calls `take` when the first TLS record has arrived, with true if the client offers the protocol of challenges; the
 * record stays readable from the socket. A connection that does not begin with a handshake is closed.
 */
export function readClientHello(socket: Socket, take: (isChallenge: boolean) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  const read = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk])
    // The content type of a handshake record is 22.
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

/**
 * Returns the TLS options for a handshake that validates a challenge. The handshake fails if the name has no pending
 * challenge.
 */
export function challengeOptions(
  certificateOf: (name: string) => Promise<CertificateAndKey | undefined>,
): TLSSocketOptions {
  return {
    ALPNProtocols: [ACME_PROTOCOL],
    SNICallback(name: string, done: (error: Error | null, context?: SecureContext) => void) {
      certificateOf(name).then(
        (pair) => {
          if (pair === undefined) done(new Error('no challenge is pending'))
          else done(null, createSecureContext({ cert: pair.cert, key: pair.key }))
        },
        (error: Error) => done(error),
      )
    },
  }
}
