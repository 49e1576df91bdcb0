// Owner of rows: every query names the account and the domain.

/** An account and one of its domains. */
export interface Owner {
  readonly accountId: string
  readonly domainId: string
}
