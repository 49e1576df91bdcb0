// TLSA records: the certificates of a host according to the DNS.

/** One TLSA record (RFC 6698 §2.1). */
export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** Certificate association data, as a plain Uint8Array because a record may come from another thread. */
  readonly data: Uint8Array
}

/** Requirements of TLSA records for the certificate of a host (RFC 7672 §3). */
export interface DaneDemand {
  /** Usable TLSA records, as returned by `usableTlsa`. */
  readonly records: readonly TlsaRecord[]
  /**
   * Names, at least one of which the certificate must contain if the records name a certificate authority: the host, or
   * the domain of the mail (§3.2.2).
   */
  readonly names: readonly string[]
}
