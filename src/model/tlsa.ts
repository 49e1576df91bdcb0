// A TLSA record: what the DNS says of a host's certificate.

/** One record (RFC 6698 §2.1). */
export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** Not a Buffer: a record may have come from another thread. */
  readonly data: Uint8Array
}
