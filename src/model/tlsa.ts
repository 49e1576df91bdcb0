// TLSA records: what the DNS says of a host's certificate.

/** One record (RFC 6698 §2.1). */
export interface TlsaRecord {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** Not a Buffer: a record may have come from another thread. */
  readonly data: Uint8Array
}

/** Certificates that a host may have by its records (RFC 7672 §3). */
export interface DaneDemand {
  /** Usable ones (`usableTlsa`). */
  readonly records: readonly TlsaRecord[]
  /** Where an authority is named, the certificate names one of these: the host, or the domain that its mail is for (§3.2.2). */
  readonly names: readonly string[]
}
