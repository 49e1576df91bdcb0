// TLSA records: the certificates of a host according to the DNS.

/** One record (RFC 6698 §2.1). */
export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** A plain Uint8Array, because a record may come from another thread. */
  readonly data: Uint8Array
}

/** Certificates that a host may have by its records (RFC 7672 §3). */
export interface DaneDemand {
  /** Usable records (`usableTlsa`). */
  readonly records: readonly TlsaRecord[]
  /**
   * If the records name an authority, the certificate must name one of these: the host, or the domain of the mail
   * (§3.2.2).
   */
  readonly names: readonly string[]
}
