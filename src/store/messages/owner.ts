// Owner of rows: the account and the domain that every query names.

/** An account and one of its domains. */
export interface Owner {
  readonly accountId: string
  readonly domainId: string
}
